/* linked.h - the kernels of a unit with -rdc=true: which other units each needs, and the link.
 *
 * The text of such a unit is a list of those that were linked into its library
 * (core/files/linkedunit.h).
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_LINKED_H
#define CKJIT_COMPILE_UNIT_LINKED_H

#include "compile/turn.h"

/* Is T a kernel of such a unit, or all of them? */
bool linked_is(const struct compile_task *t);
/* Gets its parts into the cache (part.h), by NEED. To be called before T has its directory. */
bool linked_parts_get(const struct compile_task *t, need_fn *need, char **err);
/* Make OUTPUT, the entry of T, in TEMPORARY. */
bool linked_make(const struct compile_task *t, const char *temporary, const char *output, char **err);

/* T, made last and placed, is what its parts were linked into. */
void linked_remember(const struct compile_task *t);

#endif
