/* environment.h - the environment that a compile's programs are started with: compilers, what they are asked,
 * launchers. Nothing in this room starts one with its own environment, which is the job's (docs/environment.md).
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_ENVIRONMENT_H
#define CKJIT_COMPILE_ENVIRONMENT_H

#include "task.h"

/* The environment for T's compilers, as execve takes it, with T's temporary directory as TMPDIR. Valid until
 * the next call. */
char *const *compile_environment(const struct compile_task *t);

#endif
