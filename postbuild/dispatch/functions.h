/* functions.h - the functions that the blobs of a link define: what a dispatcher's text is searched
 * for.
 *
 * Thread safety: a struct functions belongs to one thread at a time.
 */
#ifndef CKJIT_DISPATCH_FUNCTIONS_H
#define CKJIT_DISPATCH_FUNCTIONS_H

#include "core/base/argv.h"

/* Last names of function templates, with the type that their specialisations have; "" for a type
 * that is not known or not the same in all blobs. Start with {0}. */
struct functions {
  struct argv names, signatures;
};

/* Note one function of one blob. */
void functions_add(struct functions *f, const char *name, const char *signature);
/* the type of NAME, borrowed; NULL if no blob defines it */
const char *functions_find(const struct functions *f, const char *name);
/* the same for the N bytes at NAME */
const char *functions_find_n(const struct functions *f, const char *name, size_t n);
void functions_free(struct functions *f);

#endif
