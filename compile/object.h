/* object.h - one part of a blob with -fgpu-rdc, as an object in the cache.
 *
 *     <cache>/.fragments/<build id>.o
 *
 * It has a key, a lock and a seal of its own, as an entry has. F is the task that makes the part:
 * F->fragment is set. Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_OBJECT_H
#define CKJIT_COMPILE_OBJECT_H

#include "task.h"

/* the name of F's object; free() it */
char *object_path(const struct compile_task *f);
/* Whether it is there. It then counts as used now. */
bool object_is_there(const struct compile_task *f);
/* Get it into the cache: it is there, or made by whoever's turn it is. *COMPILED: it was ours. */
bool object_get(struct compile_task *f, bool *compiled, char **err);
/* Make it as FILE, with what is in between in TEMPORARY: without a cache. */
bool object_make(struct compile_task *f, const char *temporary, const char *file, char **err);

#endif
