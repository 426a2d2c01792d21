#include "driver.h"
#include "command.h"
#include "way.h"
#include "compile/child.h"
#include "core/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void take_step(struct driver *d, const char *line, size_t n) {
  struct argv words = {0};
  argv_split(&words, line, n);
  bool device = false, cc1 = words.n > 1 && strcmp(words.args[1], "-cc1") == 0, lld = false;
  for (size_t i = 0; i < words.n; i++) {
    device |= strcmp(words.args[i], "-fcuda-is-device") == 0;
    lld |= strcmp(words.args[i], "-flavor") == 0;
  }
  bool bundler = words.n && strstr(path_base(words.args[0]), "offload-bundler");
  struct argv *to = cc1 && device ? &d->pass : lld ? &d->link : bundler ? &d->bundler : NULL;
  if (to && !to->n)
    argv_add_all(to, words.args);
  argv_free(&words);
}

/* the line of TEXT that says what is wrong, on a line of its own; "" where there is none. free() it */
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

char *driver_ask(struct export *x, enum export_format format, const char *arch, const char *output) {
  const struct compile_task *t = x->t;
  struct argv command = {0}, words = {0};
  export_command_compile(&command, t, format, arch, output);
  argv_add(&words, t->compiler);
  argv_add(&words, "-###");
  size_t compiler = 0; /* a launcher may stand before it */
  while (command.args[compiler] && strcmp(command.args[compiler], t->compiler) != 0)
    compiler++;
  argv_add_all(&words, command.args + compiler + 1);
  char *answer = export_new_file(x, ".plan"), *text = NULL;
  int fd = open(answer, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status = -1;
  pid_t pid;
  size_t len;
  if (fd >= 0 && compile_child_start(&pid, &words, environ, fd) == 0)
    while (compile_child_wait(&status) != pid)
      ;
  if (fd >= 0)
    close(fd);
  text = file_read(answer, &len);
  argv_free(&x->driver.pass);
  argv_free(&x->driver.link);
  argv_free(&x->driver.bundler);
  for (const char *line = text; status == 0 && line && *line;) {
    size_t n = strcspn(line, "\n");
    if (str_starts(line, " \""))
      take_step(&x->driver, line, n);
    line += n + (line[n] == '\n');
  }
  free(x->driver.tools);
  x->driver.tools = x->driver.pass.n ? path_dir(x->driver.pass.args[0]) : NULL;
  char *error = status ? error_line(text) : xstrdup(""), *why = NULL;
  x->driver.refused = *error != 0;
  if (x->driver.refused)
    why = xasprintf("%s: the compiler %s cannot compile for architecture %s%s", t->stem, t->compiler, arch,
                    error);
  else if (!x->driver.pass.n)
    why =
        xasprintf("%s: the compiler %s does not say how it compiles for %s (-###), which is needed for what "
                  "is exported as %s",
                  t->stem, t->compiler, arch, export_format_name(format));
  argv_free(&command);
  argv_free(&words);
  free(answer);
  free(error);
  free(text);
  return why;
}

char *driver_ask_for_tools(struct export *x) {
  if (x->driver.tools)
    return NULL;
  const char *at = x->t->archs;
  size_t n;
  const char *word = ckjit_arch_next(&at, &n);
  char *arch = xstrndup(word ? word : "", word ? n : 0);
  char *why = driver_ask(x, EXPORT_CODE_OBJECT, arch, "/dev/null");
  free(arch);
  return why;
}

char *driver_tool(const struct export *x, const char *name, char **why) {
  char *tool = path_join(x->driver.tools, name);
  *why = NULL;
  if (access(tool, X_OK) == 0)
    return tool;
  *why = xasprintf("%s: there is no %s beside the compiler in %s; install the LLVM tools of its version",
                   x->t->stem, name, x->driver.tools);
  free(tool);
  return NULL;
}
