/* environment.c - the environment that a compile's programs are started with.
 *
 * Compilers read dozens of variables: options, search paths, other programs to run. The job's are not the
 * build's, and what is compiled is kept for other jobs, under a key in which no variable is. So the job's
 * environment stops here. core/cc/ccenv.c has the table of what passes, and the library's list of inputs the
 * values that the link had.
 */
#include "environment.h"
#include "core/cc/ccenv.h"

char *const *compile_environment(const struct compile_task *t) {
  static struct argv env;
  struct argv own = {0};
  const struct argv *toolchain = t->inputs ? &t->inputs->environment : &own;
  if (!t->inputs) /* compiled by hand */
    ccenv_toolchain(&own, t->kind);
  argv_free(&env);
  ccenv_make(&env, toolchain, t->launcher.n ? NULL : t->temporary);
  argv_free(&own);
  return env.args;
}
