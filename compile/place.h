/* place.h - the directory in which a result is made, and the result's name.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_PLACE_H
#define CKJIT_COMPILE_PLACE_H

#include "task.h"

/* Make a directory beside the output for what is being made: its name, free() it. owned_remove removes it. What
 * killed predecessors left is removed. */
char *place_temporary(const struct compile_task *t, char **err);
/* Check that FILE has the task's build id, seal it and give it its name; T->placed is that in a cache. */
bool place_result(struct compile_task *t, const char *file, char **err);

/* Put N bytes and the seal behind FILE, give it its mode and write it through. */
bool place_seal(const struct compile_task *t, const char *file, const void *bytes, size_t n, char **err);

#endif
