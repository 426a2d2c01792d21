/* linked.h - the kernels of a unit with -rdc=true: their link with the units that each needs
 * (joined.h).
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_LINKED_H
#define CKJIT_COMPILE_UNIT_LINKED_H

#include "compile/turn.h"

/* Make OUTPUT, the entry of T, in TEMPORARY. */
bool linked_make(const struct compile_task *t, const char *temporary, const char *output, char **err);
/* T, made last and placed, is what its parts were linked into. */
void linked_remember(const struct compile_task *t);

#endif
