#include "driver.h"
#include "abi/ck_jit_access.h"
#include "command.h"
#include "way.h"
#include "compile/environment.h"
#include "compile/known.h"
#include "compile/plan_run.h"
#include "core/base/path.h"
#include "core/cc/steps.h"

#include <unistd.h>

static void take_step(struct driver *d, const struct argv *words) {
  bool device = steps_is_cc1(words) && argv_has(words, "-fcuda-is-device");
  struct argv *to = device                                                 ? &d->pass
                    : argv_has(words, "-flavor")                           ? &d->link
                    : strstr(path_base(words->args[0]), "offload-bundler") ? &d->bundler
                                                                           : NULL;
  if (to && !to->n)
    argv_add_all(to, words->args);
}

/* Returns the line of TEXT that contains the error message, with a newline before it, or "" if
 * there is none. free() it. */
static char *error_line(const char *text) {
  for (const char *line = text; line && *line;) {
    size_t n = strcspn(line, "\n");
    const char *error = memmem(line, n, "error: ", strlen("error: "));
    if (error)
      return xasprintf("\n  %.*s", (int)(line + n - error), error);
    line += n + (line[n] == '\n');
  }
  return xstrdup("");
}

void driver_free(struct driver *d) {
  argv_free(&d->pass);
  argv_free(&d->link);
  argv_free(&d->bundler);
  free(d->tools);
  *d = (struct driver){0};
}

/* Returns what the driver prints when it is asked for the steps of the compile, or NULL if it
 * cannot be asked. *DONE: it ended with status 0. free() it. */
static char *ask(struct export *x, enum export_format format, const char *arch, const char *output,
                 bool *done) {
  autofree_argv command = {0};
  export_command_compile(&command, x->t, x->t->source, format, arch, output);
  return plan_ask_steps(x->t->kind->dialect, &command, compile_environment(x->t), x->temporary, done);
}

bool driver_ask(struct export *x, enum export_format format, const char *arch, const char *output,
                char **err) {
  const struct compile_task *t = x->t;
  struct driver *d = &x->driver;
  bool done;
  autofree char *text = ask(x, format, arch, output, &done);
  driver_free(d);
  struct steps steps;
  steps_read(&steps, done ? text : NULL);
  for (size_t i = 0; i < steps.n; i++)
    take_step(d, &steps.list[i]);
  steps_free(&steps);
  if (d->pass.n)
    d->tools = path_dir(d->pass.args[0]);
  autofree char *error = done ? xstrdup("") : error_line(text);
  d->refused = *error != 0;
  bool understood = d->pass.n > 0;
  if (d->refused) {
    autofree char *known = known_tell(t, x->temporary, arch);
    task_fail(t, err, "the compiler %s cannot compile for architecture %s%s%s", t->compiler, arch, known,
              error);
  } else if (!understood)
    task_fail(t, err,
              "the compiler %s does not print its commands for %s (-###), which an export as %s needs",
              t->compiler, arch, export_format_name(format));
  return understood && !d->refused;
}

bool driver_ask_for_tools(struct export *x, char **err) {
  if (x->driver.tools)
    return true;
  const char *at = x->t->archs;
  size_t n;
  const char *word = ckjit_arch_next(&at, &n);
  autofree char *arch = xstrndup(word ? word : "", word ? n : 0);
  return driver_ask(x, EXPORT_CODE_OBJECT, arch, "/dev/null", err);
}

char *driver_tool(const struct export *x, const char *name, char **err) {
  char *tool = path_join(x->driver.tools, name);
  if (ckjit_may(tool, X_OK))
    return tool;
  task_fail(x->t, err, "there is no %s beside the compiler in %s; install the LLVM tools of its version",
            name, x->driver.tools);
  free(tool);
  return NULL;
}
