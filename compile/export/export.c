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
#include "compile/unit/joined.h"
#include "compile/unlinked.h"
#include "compile/unit/unit.h"
#include "core/base/path.h"
#include "core/cc/compiler.h"

#include <ctype.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- the device ---- */

/* A piece for each of ARCHS, and the bundle of them. */
static bool make_bundle(struct export *x, const struct argv *archs, const char *file, char **err) {
  autofree_argv files = {0};
  bool done = true;
  for (size_t i = 0; i < archs->n && done; i++) {
    argv_add_own(&files, export_new_file(x, ".co"));
    done = x->way->piece(x, archs->args[i], files.args[i], err);
  }
  done = done && x->way->bundle(x, &files, file, err);
  return done;
}

static bool make_of_archs(struct export *x, const struct argv *archs, const char *file, char **err) {
  const struct compile_task *t = x->t;
  const char *format = export_format_name(t->export.format);
  if (!archs->n)
    return task_fail(t, err, "--format %s takes one architecture: pass --arch", format);
  if (archs->n == 1)
    return x->way->device(x, archs->args[0], file, err);
  if (t->export.format != EXPORT_CODE_OBJECT)
    return task_fail(t, err, "--format %s is of one architecture, not of %s", format, t->archs);
  if (x->parts->n == archs->n)
    return x->way->bundle(x, x->parts, file, err);
  if (x->parts->n)
    return task_fail(t, err, "expected a --part for each of %s", t->archs);
  return make_bundle(x, archs, file, err);
}

static bool make_device(struct export *x, const char *file, char **err) {
  autofree_argv archs = {0};
  const char *at = x->t->archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    argv_addf(&archs, "%.*s", (int)n, word);
  return make_of_archs(x, &archs, file, err);
}

/* ---- the host ---- */

/* The object files that it is made of: copies of the parts, for one may be renamed; or what the source gives. */
static bool make_objects(struct export *x, struct argv *objects, char **err) {
  const struct argv *parts = x->parts;
  for (size_t i = 0; i < parts->n; i++) {
    argv_add_own(objects, export_new_file(x, ".o"));
    if (!file_copy(parts->args[i], objects->args[i]))
      return task_fail(x->t, err, "cannot read %s: %s", parts->args[i], strerror(errno));
  }
  if (parts->n)
    return true;
  argv_add_own(objects, export_new_file(x, ".o"));
  return x->way->object(x, objects->args[0], err);
}

static bool link_host(struct export *x, const struct argv *objects, const char *file, char **err) {
  autofree_argv command = {0};
  export_command_link(&command, x->t, objects, file);
  return export_run(x, &command, err);
}

/* OBJECTS to FILE in the format that is asked for */
static bool finish_host(struct export *x, const struct argv *objects, const char *file, char **err) {
  if (x->t->export.format == EXPORT_SO)
    return link_host(x, objects, file, err);
  if (objects->n > 1)
    return x->way->join(x, objects, file, err);
  return rename(objects->args[0], file) == 0 ||
         task_fail(x->t, err, "cannot make %s: %s", file, strerror(errno));
}

static bool make_host(struct export *x, const char *file, char **err) {
  autofree_argv objects = {0};
  return make_objects(x, &objects, err) && export_rename_functions(x, &objects, err) &&
         finish_host(x, &objects, file, err);
}

/* ---- all of it ---- */

static bool probe(struct export *x, char **err) {
  const char *at = x->t->archs, *word;
  bool known = true;
  for (size_t n; known && (word = ckjit_arch_next(&at, &n));) {
    autofree char *arch = xstrndup(word, n);
    known = x->way->probe(x, arch, err);
  }
  return known;
}

/* Letters, digits and / . _ - + */
static bool is_plain(const char *name) {
  for (const char *s = name; *s; s++)
    if (!isalnum((unsigned char)*s) && !strchr("/._-+", *s))
      return false;
  return true;
}

/* nvcc's tools cannot be given every name: fatbinary takes a comma for a separator, nvcc itself $ for a
 * variable. If DIR has such characters, work in it, with plain names. The files to be joined are copied
 * into it, in PARTS. */
static bool work_inside(const struct compile_task *t, const char *dir, struct argv *parts) {
  if (!t->kind->plain_names || is_plain(dir))
    return false;
  for (size_t i = 0; i < t->export.parts->n; i++) {
    argv_addf(parts, "part-%zu", i);
    autofree char *copy = path_join(dir, parts->args[i]);
    file_copy(t->export.parts->args[i], copy); /* if it fails, reading it fails, and that is said */
  }
  return chdir(dir) == 0;
}

static bool make(struct export *x, const char *file, char **err) {
  const struct compile_task *t = x->t;
  bool done = t->export.probe                      ? probe(x, err)
              : export_is_device(t->export.format) ? make_device(x, file, err)
                                                   : make_host(x, file, err);
  driver_free(&x->driver);
  return done;
}

bool export_make(struct compile_task *t, const char *temporary, const char *file, char **err) {
  static const struct export_way *const ways[] = {[RUNTIME_HIP] = &export_hip, [RUNTIME_CUDA] = &export_cuda};
  /* Other units are exported as blobs are, for the device alone. */
  static bool (*const of_unit[])(struct compile_task *, const char *, const char *,
                                 char **) = {[RUNTIME_HIP] = NULL, [RUNTIME_CUDA] = export_cuda_unit};
  if (t->kernel && joined_is(t))
    return task_fail(t, err,
                     "its device code is linked with that of other units (%s), which is not "
                     "exported; take the entry from the cache",
                     t->kind->links);
  if (t->kernel && of_unit[t->kind->runtime])
    return of_unit[t->kind->runtime](t, temporary, file, err);
  if (t->kernel && !export_is_device(t->export.format))
    return task_fail(t, err,
                     "it is an ordinary unit, whose functions are in its library; expected --format "
                     "code-object, bitcode or asm");
  autofree_argv parts = {0};
  struct export x = {.t = t, .parts = t->export.parts, .temporary = temporary, .way = ways[t->kind->runtime]};
  if (work_inside(t, temporary, &parts)) {
    x.parts = &parts;
    x.temporary = t->temporary = ".";
    file = path_base(file);
  }
  return make(&x, file, err);
}

bool export_place(const struct compile_task *t, const char *file, char **err) {
  if (t->output_fd >= 0)
    return unlinked_place(t, file, err);
  int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return task_fail(t, err, "the compiler %s succeeded but made no output", t->compiler);
  bool synced = fsync(fd) == 0;
  close(fd);
  return (synced && rename(file, t->output) == 0) ||
         task_fail(t, err, "cannot make %s: %s", t->output, strerror(errno));
}
