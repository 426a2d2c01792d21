/* childenv.h - builds the environment of a child process without changing this process's. Start
 * with {0}. */
#ifndef CKJIT_CHILDENV_H
#define CKJIT_CHILDENV_H

#include "argv.h"

/* Append this process's environment to ENV. */
void childenv_copy(struct argv *env);
void childenv_set(struct argv *env, const char *name, const char *value);
void childenv_unset(struct argv *env, const char *name);

#endif
