/* unlinked.h - the result goes into an open descriptor, and nothing stays on any disk.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_UNLINKED_H
#define CKJIT_COMPILE_UNLINKED_H

#include "task.h"

/* As place_temporary, in $TMPDIR or /tmp. */
char *unlinked_temporary(const struct compile_task *t, char **err);
/* copy FILE, which is whole, into the descriptor */
bool unlinked_place(const struct compile_task *t, const char *file, char **err);

#endif
