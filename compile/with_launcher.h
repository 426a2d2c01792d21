/* with_launcher.h - a compile through CK_JIT_COMPILER_LAUNCHER.
 *
 * All functions return false if the plain command must be run: there is no launcher, or it failed,
 * which was reported. TEMPORARY is for the files in between.
 */
#ifndef CKJIT_COMPILE_WITH_LAUNCHER_H
#define CKJIT_COMPILE_WITH_LAUNCHER_H

#include "task.h"

/* Make OUTPUT of T: a shared object; of a fragment its object. */
bool with_launcher_make(const struct compile_task *t, const char *temporary, const char *output);
/* Run COMMAND, which does not name the launcher. */
bool with_launcher_run(const struct compile_task *t, const char *temporary, const struct argv *command);

#endif
