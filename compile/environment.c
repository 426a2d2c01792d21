/* environment.c - the environment that a compile's programs are started with.
 *
 * Compilers read dozens of variables: options, search paths, other programs to run. The job's are not the
 * build's, and what is compiled is kept for other jobs, under a key in which no variable is. So the job's
 * environment stops here. core/cc/ccenv.c has the table of what passes, and the library's list of inputs the
 * values that the link had, but for directories that others could have made since (left_out.h). What is
 * compiled by hand has no list; it is given the variables of the toolchain as they are.
 *
 * CK_JIT_COMPILE_ENV lets more through. Names and values are then part of the build id (variant.h).
 */
#include "environment.h"
#include "left_out.h"
#include "core/base/childenv.h"
#include "core/base/env.h"
#include "core/base/oneline.h"
#include "core/cc/ccenv.h"

#include <stdlib.h>
#include <string.h>

#define VARIABLE "CK_JIT_COMPILE_ENV"

/* the variables of the toolchain as the link had them; NULL: they are not known */
static const struct argv *recorded_of(const struct compile_task *t) {
  return t->environment ? t->environment : t->inputs ? &t->inputs->environment : NULL;
}

/* The variables of the toolchain that are used of those of the link, put into OWN. Returns the *N directories that are not,
 * for left_out_free. */
static struct left_out *used_of_link(const struct compile_task *t, struct argv *own, size_t *n) {
  const struct argv *recorded = recorded_of(t);
  struct left_out *left = NULL;
  *n = 0;
  if (recorded)
    left_out_find(own, &left, n, recorded);
  return left;
}

/* the variables of the toolchain that T's compiler is given, which are put into OWN */
static const struct argv *toolchain_of(const struct compile_task *t, struct argv *own) {
  size_t n;
  struct left_out *left = used_of_link(t, own, &n);
  if (!recorded_of(t))
    ccenv_toolchain(own, t->kind);
  left_out_free(left, n);
  return own;
}

/* What of the link's variables is not used is part of the build id if it decides on the code. What chooses the compiler is not: the
 * compiler is compared by content. */
static void vary_left_out(struct compile_task *t) {
  struct argv used = {0};
  size_t n;
  struct left_out *left = used_of_link(t, &used, &n);
  for (size_t i = 0; i < n; i++) {
    if (!left[i].keyed)
      continue;
    buf_printf(&t->variant, "without %s ", left[i].name);
    oneline_put(&t->variant, left[i].dir);
    buf_putc(&t->variant, '\n');
  }
  left_out_free(left, n);
  argv_free(&used);
}

/* Append to MESSAGE what of the link's variables is not used, and why. */
static void tell_left_out(const struct compile_task *t, struct buf *message) {
  struct argv used = {0};
  size_t n;
  struct left_out *left = used_of_link(t, &used, &n);
  for (size_t i = 0; i < n; i++)
    buf_printf(
        message,
        "\nnote: %s of the link names %s, which is left out: another user could have made it since; if you "
        "trust it, let this job's %s name it as well\n%s",
        left[i].name, left[i].dir, left[i].name, left[i].why);
  left_out_free(left, n);
  argv_free(&used);
}

/* ---- CK_JIT_COMPILE_ENV ---- */

static bool is_name(const char *s) {
  static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_",
                    rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return *s && strchr(first, *s) && !s[strspn(s, rest)];
}

bool environment_read(struct compile_task *t, char **err) {
  const char *value = env_get(VARIABLE);
  for (size_t n; value && *value; value += n + (value[n] == ':')) {
    n = strcspn(value, ":");
    char *name = xstrndup(value, n);
    bool good = !n || is_name(name);
    if (!good)
      *err = xasprintf(VARIABLE "='%s': '%s' is not the name of a variable; expected NAME:NAME:…",
                       env_get(VARIABLE), name);
    else if (n)
      argv_add(&t->passed, name);
    free(name);
    if (!good)
      return false;
  }
  argv_unique(&t->passed);
  return true;
}

void environment_vary(struct compile_task *t) {
  struct argv own = {0};
  vary_left_out(t);
  const struct argv *toolchain = toolchain_of(t, &own);
  for (size_t i = 0; i < t->passed.n; i++) {
    const char *name = t->passed.args[i], *value = secure_getenv(name);
    char *line = xasprintf("%s=%s", name, value ? value : "");
    if (value && !argv_has(toolchain, line)) {
      buf_puts(&t->variant, "env ");
      oneline_put(&t->variant, line);
      buf_putc(&t->variant, '\n');
    }
    free(line);
  }
  argv_free(&own);
}

/* ---- the environment ---- */

char *const *compile_environment(const struct compile_task *t) {
  static struct argv env;
  struct argv own = {0};
  argv_free(&env);
  /* A server that a launcher starts, such as sccache's, outlives the compile and its directory. */
  ccenv_make(&env, toolchain_of(t, &own), t->launcher.n ? NULL : t->temporary);
  for (size_t i = 0; i < t->passed.n; i++) {
    const char *value = secure_getenv(t->passed.args[i]);
    if (value)
      childenv_set(&env, t->passed.args[i], value);
  }
  argv_free(&own);
  return env.args;
}

void environment_toolchain(const struct compile_task *t, struct argv *list) {
  struct argv own = {0};
  argv_add_all(list, toolchain_of(t, &own)->args);
  argv_free(&own);
}

/* ---- a failure ---- */

/* Is NAME=VALUE, of this process, what the compiler was given? */
static bool is_given(char *const *env, const char *variable) {
  size_t n = strcspn(variable, "=") + 1;
  for (; *env; env++)
    if (strncmp(*env, variable, n) == 0)
      return strcmp(*env + n, variable + n) == 0;
  return false;
}

void environment_tell(const struct compile_task *t, struct buf *message) {
  struct argv own = {0};
  struct buf names = {0};
  char *const *env = compile_environment(t);
  ccenv_toolchain(&own, t->kind);
  for (size_t i = 0; i < own.n; i++)
    if (!is_given(env, own.args[i]))
      buf_printf(&names, "%s%.*s", names.len ? ":" : "", (int)strcspn(own.args[i], "="), own.args[i]);
  if (names.len)
    buf_printf(
        message,
        "\nnote: compilers are given the build's values of variables, not this job's, which differ; if one "
        "is needed here: " VARIABLE "=%s",
        names.data);
  tell_left_out(t, message);
  buf_free(&names);
  argv_free(&own);
}
