/* owned.h - temporary directories that say whose they are, so that what a killed process left can be removed
 * and what a living one needs never is.
 *
 * Errors: false or NULL with errno. Thread safety: none.
 */
#ifndef CKJIT_OWNED_H
#define CKJIT_OWNED_H

#include "core/base/base.h"

/* Make a directory of mode 0700 whose name is PREFIX-<owner>-XXXXXX; it is ours until owned_remove, or our end.
 * free() its name. */
char *owned_make(const char *prefix);
/* Remove DIR, which owned_make has made, with everything in it. */
bool owned_remove(const char *dir);

enum owned {
  OWNED_NOT,   /* there is no owner in its name: it was not made by owned_make */
  OWNED_LIVES, /* its owner does, or nobody here can tell */
  OWNED_GONE,  /* its owner is certainly gone, and it is the user's own directory */
};
/* whose the directory NAME in DIR is */
enum owned owned_look(const char *dir, const char *name);
/* The process that owns NAME, of owned_make: its id if it is in our process space, else 0. False: there is no owner in
 * the name. */
bool owned_process(const char *name, long *pid);
/* "SPACE PID START" of process PID of our space, which no other process has; free() it. NULL: it is not known. */
char *owned_identity(long pid);
/* The process space that we live in, in 8 hexadecimal digits; static. */
const char *owned_space(void);
/* Whether SPACE, of another process, is ours: then its process ids mean the same here. */
bool owned_is_our_space(const char *space);
/* Remove from DIR what begins with PREFIX and has an owner that is gone. Errors are ignored: the next one
 * tries again. */
void owned_sweep(const char *dir, const char *prefix);

#endif
