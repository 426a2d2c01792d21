/* owned.h - temporary directories whose names identify their owners, so that those of killed
 * processes can be removed and those of living ones never are.
 *
 * Errors: false or NULL with errno. Thread safety: none.
 */
#ifndef CKJIT_OWNED_H
#define CKJIT_OWNED_H

#include "core/base/base.h"

/* Make a directory of mode 0700 whose name is PREFIX-<owner>-XXXXXX. This process owns it until
 * owned_remove, or until it ends. free() its name. */
char *owned_make(const char *prefix);
/* Remove DIR, which owned_make has made, with everything in it. */
bool owned_remove(const char *dir);

enum owned {
  /* There is no owner in its name: owned_make did not make it. */
  OWNED_NOT,
  /* Its owner lives, or that cannot be found out here. */
  OWNED_LIVES,
  /* Its owner has certainly ended, and it is the user's own directory. */
  OWNED_GONE,
};
/* The owner of the directory NAME in DIR. */
enum owned owned_look(const char *dir, const char *name);
/* The process that owns NAME, from owned_make, and its process space. False: there is no owner in
 * the name. */
bool owned_process(const char *name, long *pid, char space[9]);
/* Process PID, of this process space, in words that no other process ever has; free() it. NULL: it
 * has ended, or is not known. */
char *owned_word(long pid);
/* The process space of this process, in 8 hexadecimal digits; static. */
const char *owned_space(void);
/* Whether SPACE, of another process, is this process space: then its process ids have the same
 * meaning here. */
bool owned_is_our_space(const char *space);
/* Remove entries of DIR that begin with PREFIX and whose owner has ended. Errors are ignored: the
 * next call tries again. */
void owned_sweep(const char *dir, const char *prefix);

#endif
