/* make.h - one task made, in a directory of its own, and given its name.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_MAKE_H
#define CKJIT_COMPILE_MAKE_H

#include "task.h"

/* Our turn: make what T says. It may be called again. */
bool make_task(struct compile_task *t, char **err);
/* Make OUTPUT of T (a shared object; of a fragment its object) from its source: behind the launcher, else
 * by the passes side by side, else by COMMAND, the plain one, whose output goes to LOG. */
bool make_from_source(const struct compile_task *t, const struct argv *command, const char *temporary,
                      const char *output, const char *log, char **err);

#endif
