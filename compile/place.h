/* place.h - the directory in which a result is made, and the result's name.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_PLACE_H
#define CKJIT_COMPILE_PLACE_H

#include "task.h"

/* Is what T says in the cache? */
bool place_has(const struct compile_task *t);
/* The name in the cache of the object of T, a fragment: <cache>/.fragments/<build id>.o. free()
 * it. */
char *place_object(const struct compile_task *t);
/* Makes a directory beside the output for the files of this compile. Returns its name; free() it.
 * owned_remove removes the directory. The remains of killed predecessors are removed. */
char *place_temporary(const struct compile_task *t, char **err);
/* Check that FILE has the task's build id, seal it and give it its name; T->placed is that in a
 * cache. */
bool place_result(struct compile_task *t, const char *file, char **err);

#endif
