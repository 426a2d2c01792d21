/* environment.c - the environment of the programs that a compile starts.
 *
 * Compilers read dozens of variables: options, search paths, other programs to run. The job's
 * variables are not the build's, and the result is kept for other jobs, under a key that contains
 * no variables. So the job's environment stops here. core/cc/ccenv.c has the table of the variables
 * that pass, and the library's list of inputs has the values of the link, without directories that
 * others could have made since (left_out.h). A compile by hand has no list; it gets the variables
 * of the toolchain as they are.
 *
 * CK_JIT_COMPILE_ENV lets more variables through. Their names and values are then part of the build
 * id (variant.h).
 */
#include "environment.h"
#include "left_out.h"
#include "core/base/childenv.h"
#include "core/base/env.h"
#include "core/base/lines.h"
#include "core/cc/ccenv.h"

#define VARIABLE "CK_JIT_COMPILE_ENV"

/* the variables of the toolchain as the link had them; NULL: they are not known */
static const struct argv *recorded_of(const struct compile_task *t) {
  return t->environment ? t->environment : t->inputs ? &t->inputs->environment : NULL;
}

/* The toolchain's variables that a compile's programs get. A compile starts a dozen programs and
 * checks the directories once: each program gets exactly the values that are in the build id. */
struct given {
  bool known;
  const struct argv *of; /* recorded_of() that compile */
  struct argv used;
  /* the directories that are not used, LEFT_N */
  struct left_out *left;
  size_t left_n;
};

static void forget(struct given *g) {
  argv_free(&g->used);
  left_out_free(g->left, g->left_n);
  *g = (struct given){0};
}

void environment_free(struct given *g) {
  if (g)
    forget(g);
  free(g);
}

/* T's. Valid until the next call. */
static const struct given *given_to(const struct compile_task *t) {
  static struct given before_vary;
  struct given *g = t->given ? t->given : &before_vary;
  const struct argv *recorded = recorded_of(t);
  if (t->given && g->known && g->of == recorded)
    return g;
  forget(g);
  *g = (struct given){.known = true, .of = recorded};
  if (recorded)
    left_out_find(&g->used, &g->left, &g->left_n, recorded);
  else
    ccenv_toolchain(&g->used, t->kind);
  return g;
}

/* A variable of the link that is not used is part of the build id if it influences the code.
 * Variables that only choose the compiler are not: the compiler is compared by content. */
static void vary_left_out(struct compile_task *t, const struct given *g) {
  for (size_t i = 0; i < g->left_n; i++) {
    const struct left_out *left = &g->left[i];
    if (!left->keyed)
      continue;
    buf_printf(&t->variant, "without %s ", left->name);
    lines_escape(&t->variant, left->dir);
    buf_putc(&t->variant, '\n');
  }
}

/* Append to MESSAGE what of the link's variables is not used, and why. */
static void tell_left_out(const struct given *g, struct buf *message) {
  for (size_t i = 0; i < g->left_n; i++) {
    const struct left_out *left = &g->left[i];
    buf_printf(
        message,
        "\nnote: %s of the link names %s, which is ignored: another user could have created it since; if you trust it, name it in this job's %s as well\n%s",
        left->name, left->dir, left->name, left->why);
  }
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
    autofree char *name = xstrndup(value, n);
    bool good = !n || is_name(name);
    if (!good)
      *err = xasprintf(VARIABLE "='%s': '%s' is not the name of a variable; expected NAME:NAME:…",
                       env_get(VARIABLE), name);
    else if (n)
      argv_add(&t->passed, name);
    if (!good)
      return false;
  }
  argv_unique(&t->passed);
  return true;
}

void environment_vary(struct compile_task *t) {
  if (!t->given)
    t->given = xcalloc(1, sizeof *t->given);
  const struct given *g = given_to(t);
  vary_left_out(t, g);
  for (size_t i = 0; i < t->passed.n; i++) {
    const char *name = t->passed.args[i], *value = secure_getenv(name);
    autofree char *line = xasprintf("%s=%s", name, value ? value : "");
    if (value && !argv_has(&g->used, line)) {
      buf_puts(&t->variant, "env ");
      lines_escape(&t->variant, line);
      buf_putc(&t->variant, '\n');
    }
  }
}

/* ---- the environment ---- */

char *const *compile_environment(const struct compile_task *t) {
  static struct argv env;
  argv_free(&env);
  /* A server that a launcher starts, such as sccache's, outlives the compile and its directory. */
  ccenv_make(&env, &given_to(t)->used, t->launcher.n ? NULL : t->temporary);
  for (size_t i = 0; i < t->passed.n; i++) {
    const char *value = secure_getenv(t->passed.args[i]);
    if (value)
      childenv_set(&env, t->passed.args[i], value);
  }
  return env.args;
}

void environment_toolchain(const struct compile_task *t, struct argv *list) {
  argv_add_all(list, given_to(t)->used.args);
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
  autofree_argv own = {0};
  autofree_buf names = {0};
  char *const *env = compile_environment(t);
  ccenv_toolchain(&own, t->kind);
  for (size_t i = 0; i < own.n; i++)
    if (!is_given(env, own.args[i]))
      buf_printf(&names, "%s%.*s", names.len ? ":" : "", (int)strcspn(own.args[i], "="), own.args[i]);
  if (names.len)
    buf_printf(
        message,
        "\nnote: compilers get the build's values of these variables, not this job's, which differ; to pass this job's values: " VARIABLE
        "=%s",
        names.data);
  tell_left_out(given_to(t), message);
}
