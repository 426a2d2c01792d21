/* place.h - the directory in which a result is made, and the result's name.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_PLACE_H
#define CKJIT_COMPILE_PLACE_H

#include "task.h"

/* Make a directory beside the output for what is being made, and free() its name. With LOCKED, what a
 * killed predecessor left of the same key is removed. */
char *compile_temporary(char **temporary, const struct compile_task *t, bool locked);
/* Check that FILE has the task's build id, seal it and give it its name; T->placed is that in a cache. */
char *compile_place(struct compile_task *t, const char *file);

/* Put N bytes and the seal behind FILE, give it its mode and write it through. */
char *compile_seal(const struct compile_task *t, const char *file, const void *bytes, size_t n);
/* write the names in DIR through; false with errno */
bool compile_sync_dir(const char *dir);

#endif
