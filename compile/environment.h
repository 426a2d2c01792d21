/* environment.h - the environment that a compile's programs are started with: compilers, what they
 * are asked, launchers. Nothing in this room starts one with its own environment, which is the
 * job's (docs/environment.md).
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_ENVIRONMENT_H
#define CKJIT_COMPILE_ENVIRONMENT_H

#include "task.h"

/* Read CK_JIT_COMPILE_ENV into T. */
bool environment_read(struct compile_task *t, char **err);
/* Add what CK_JIT_COMPILE_ENV lets through to T->variant, once its inputs are known, and what of
 * the link's variables is left out. From now on that is what T's programs are given: it is not
 * looked at again. */
void environment_vary(struct compile_task *t);
void environment_free(struct given *g);
/* The environment for T's compilers, as execve takes it, with T's temporary directory as TMPDIR.
 * Valid until the next call. */
char *const *compile_environment(const struct compile_task *t);
/* Append the variables of the toolchain that T's compilers are given, NAME=VALUE. */
void environment_toolchain(const struct compile_task *t, struct argv *list);
/* Append to a message that T's compiler failed: which variables of the toolchain this process has
 * with other values than T's compiler was given. Nothing if there are none. */
void environment_tell(const struct compile_task *t, struct buf *message);

#endif
