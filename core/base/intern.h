/* intern.h - numbers for texts: each distinct text gets the next one, from 0.
 *
 * Thread safety: a struct intern belongs to one thread at a time.
 */
#ifndef CKJIT_INTERN_H
#define CKJIT_INTERN_H

#include "argv.h"

/* Start with {0}; texts.n is how many there are. */
struct intern {
  struct argv texts;
  uint32_t *buckets; /* number + 1 by hash */
  size_t nbuckets;
};

/* the number of TEXT, which is copied where it is new */
size_t intern(struct intern *in, const char *text);
/* the number of TEXT; SIZE_MAX where it has none */
size_t intern_find(const struct intern *in, const char *text);
void intern_free(struct intern *in);

#endif
