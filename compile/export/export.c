/* export.c - one kernel, or several joined, in a form that needs no ckjit: what is asked for, and in which
 * order it is made.
 *
 * The host's forms are what any build makes of the source: an object file with the code objects in it, and a
 * shared object linked from that. They are compiled in that order in any case, because it is in the object
 * file that a symbol can be given another name, and that several kernels become one.
 *
 * The device's forms come from the compiler's own options for them. What one kind of compiler does otherwise
 * than another is behind struct export_way (way.h).
 *
 * Whatever comes out is looked at before it is kept: it must hold a kernel for each architecture.
 */
#include "export.h"
#include "command.h"
#include "rename.h"
#include "way.h"
#include "compile/run.h"
#include "compile/with_launcher.h"
#include "core/base/path.h"
#include "core/cc/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *export_new_file(struct export *x, const char *extension) {
  return xasprintf("%s/export-%d%s", x->temporary, x->files++, extension);
}

char *export_run(struct export *x, const struct argv *command) {
  char *log = xasprintf("%s/log-%d", x->temporary, x->logs++);
  compile_say(x->t, command);
  char *why = compile_run(x->t, command, log);
  free(log);
  return why;
}

char *export_run_compiler(struct export *x, const struct argv *command) {
  return compile_run_with_launcher(x->t, x->temporary, command) ? NULL : export_run(x, command);
}

char *export_compile(struct export *x, const struct compile_task *t, enum export_format format,
                     const char *archs, const char *output) {
  struct argv command = {0};
  export_command_compile(&command, t, format, archs, output);
  char *why = export_run_compiler(x, &command);
  argv_free(&command);
  return why;
}

char *export_cannot_read(const struct export *x, const char *file) {
  return xasprintf("%s: cannot read %s: %s", x->t->stem, file, strerror(errno));
}

/* ---- the device ---- */

static char *make_device_all(struct export *x, const char *file) {
  const struct compile_task *t = x->t;
  struct argv archs = {0}, files = {0};
  const char *at = t->archs, *word;
  char *why = NULL;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    argv_addf(&archs, "%.*s", (int)n, word);
  if (!archs.n)
    why = xasprintf("%s: --format %s is of one architecture: say --arch", t->stem,
                    export_format_name(t->format));
  else if (archs.n == 1)
    why = x->way->device(x, archs.args[0], file);
  else if (t->format != EXPORT_CODE_OBJECT)
    why = xasprintf("%s: --format %s is of one architecture, not of %s", t->stem,
                    export_format_name(t->format), t->archs);
  else if (t->parts->n == archs.n)
    why = x->way->bundle(x, t->parts, file);
  else if (t->parts->n)
    why = xasprintf("%s: expected a --part for each of %s", t->stem, t->archs);
  else {
    for (size_t i = 0; i < archs.n && !why; i++) {
      argv_add_own(&files, export_new_file(x, ".co"));
      why = x->way->piece(x, archs.args[i], files.args[i]);
    }
    if (!why)
      why = x->way->bundle(x, &files, file);
  }
  argv_free(&archs);
  argv_free(&files);
  return why;
}

/* ---- the host ---- */

static char *make_host(struct export *x, const char *file) {
  const struct compile_task *t = x->t;
  struct argv objects = {0}, command = {0};
  char *why = NULL;
  for (size_t i = 0; i < t->parts->n && !why; i++) { /* copies: one may be renamed */
    argv_add_own(&objects, export_new_file(x, ".o"));
    if (!file_copy(t->parts->args[i], objects.args[i]))
      why = export_cannot_read(x, t->parts->args[i]);
  }
  if (!t->parts->n) {
    argv_add_own(&objects, export_new_file(x, ".o"));
    why = x->way->object(x, objects.args[0]);
  }
  if (!why)
    why = export_rename_functions(x, &objects);
  if (!why && t->format == EXPORT_SO) {
    export_command_link(&command, t, &objects, file);
    why = export_run(x, &command);
  } else if (!why && objects.n > 1) {
    why = x->way->join(x, &objects, file);
  } else if (!why && rename(objects.args[0], file)) {
    why = xasprintf("%s: cannot make %s: %s", t->stem, file, strerror(errno));
  }
  argv_free(&command);
  argv_free(&objects);
  return why;
}

/* ---- all of it ---- */

static char *probe_all(struct export *x) {
  const char *at = x->t->archs, *word;
  char *why = NULL;
  for (size_t n; !why && (word = ckjit_arch_next(&at, &n));) {
    char *arch = xstrndup(word, n);
    why = x->way->probe(x, arch);
    free(arch);
  }
  return why;
}

/* nvcc's tools cannot be given every name: fatbinary takes a comma for a separator, nvcc itself $ for a
 * variable. Where DIR has such, work in it, with plain names. The files to be joined are copied into it, in
 * PARTS. */
static bool work_inside(const struct compile_task *t, const char *dir, struct argv *parts) {
  bool plain = compiler_dialect(t->compiler) != CC_NVCC;
  for (const char *s = dir; *s && !plain; s++)
    if (!isalnum((unsigned char)*s) && !strchr("/._-+", *s))
      break;
    else
      plain = !s[1];
  if (plain)
    return false;
  for (size_t i = 0; i < t->parts->n; i++) {
    argv_addf(parts, "part-%zu", i);
    char *copy = path_join(dir, parts->args[i]);
    file_copy(t->parts->args[i], copy); /* else it is said to be missing where it is read */
    free(copy);
  }
  return chdir(dir) == 0;
}

char *compile_export(const struct compile_task *task, const char *temporary, const char *file) {
  struct compile_task inside = *task;
  struct argv parts = {0};
  const struct compile_task *t = task;
  if (work_inside(task, temporary, &parts)) {
    inside.parts = &parts;
    t = &inside;
    temporary = ".";
    file = path_base(file);
  }
  struct export x = {.t = t,
                     .temporary = temporary,
                     .way = compiler_dialect(t->compiler) == CC_NVCC ? &export_cuda : &export_hip};
  setenv("TMPDIR", temporary, 1); /* where the compiler works: gone with it, also where it is killed */
  char *why = t->probe                      ? probe_all(&x)
              : export_is_device(t->format) ? make_device_all(&x, file)
                                            : make_host(&x, file);
  argv_free(&x.driver.pass);
  argv_free(&x.driver.link);
  argv_free(&x.driver.bundler);
  argv_free(&parts);
  free(x.driver.tools);
  return why;
}

char *compile_export_place(const struct compile_task *t, const char *file) {
  int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return xasprintf("%s: the compiler %s succeeded but made no output", t->stem, t->compiler);
  bool synced = fsync(fd) == 0;
  close(fd);
  return synced && rename(file, t->output) == 0
             ? NULL
             : xasprintf("%s: cannot make %s: %s", t->stem, t->output, strerror(errno));
}
