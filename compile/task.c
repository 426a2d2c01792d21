#include "task.h"
#include "environment.h"
#include "seen.h"
#include "abi/ck_jit_file.h"
#include "abi/ck_jit_machine.h"
#include "core/base/path.h"
#include "core/cache/artefact.h"
#include "core/files/manifest.h"
#include "core/files/sourcetext.h"

#include <unistd.h>

bool task_fail(const struct compile_task *t, char **err, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  struct buf b = {0};
  autofree char *text = NULL;
  if (vasprintf(&text, fmt, args) < 0)
    text = NULL;
  va_end(args);
  buf_printf(&b, "%s: %s", t->stem, text ? text : "memory is gone");
  *err = b.data;
  return false;
}

bool task_write(const struct compile_task *t, const char *file, const char *bytes, size_t n, char **err) {
  return file_write(file, n ? bytes : "", n, 0600) ||
         task_fail(t, err, "cannot write %s: %s", file, strerror(errno));
}

/* TEXT is split before {root} is replaced: a root with a space in its name must stay one word. */
void task_add_flags(struct argv *to, const char *text, const char *root) {
  autofree_argv words = {0};
  if (text)
    argv_split(&words, text, strlen(text));
  for (size_t i = 0; i < words.n; i++)
    argv_add_own(to, manifest_expand(words.args[i], root));
}

/* The file of T's toolkit that PATH is in the toolkit of the build, which is at another place: pip,
 * conda and NVIDIA's own packages have CUDA's headers in different directories. NULL: PATH is in none,
 * or T's lacks it. free() it. */
static char *in_this_toolkit(const struct compile_task *t, const char *path) {
  enum { INCLUDES = 3 };
  const char *built = t->inputs && t->inputs->ntools ? t->inputs->tools[0].path : t->compiler;
  if (*path != '/' || strcmp(built, t->compiler) == 0)
    return NULL;
  autofree char *bin = path_dir(built), *top = path_dir(bin), *real = realpath(t->compiler, NULL);
  const char *rest = strcmp(top, "/") != 0 && strcmp(top, "/usr") != 0 ? path_below(path, top) : NULL;
  if (!rest || !real || strcmp(real, built) == 0)
    return NULL;
  autofree char *own_bin = path_dir(real), *own = path_dir(own_bin);
  autofree char *target = xasprintf("targets/%s/include/", CKJIT_OWN.toolkit);
  const char *const includes[INCLUDES] = {"include/", target, ""};
  size_t in = 0;
  while (!str_starts(rest, includes[in]))
    in++;
  for (size_t i = in < INCLUDES - 1 ? 0 : in; i < INCLUDES; i++) {
    char *file = xasprintf("%s/%s%s", own, includes[i], rest + strlen(includes[in]));
    if (file_exists(file))
      return file;
    free(file);
  }
  return NULL;
}

char *task_expand(const struct compile_task *t, const char *path) {
  if (str_starts(path, "{root}"))
    return xasprintf("%s%s", t->root, path + strlen("{root}"));
  char *file = in_this_toolkit(t, path);
  return file ? file : xstrdup(path);
}

enum { SOURCE_MOST = 1 << 30 }; /* bytes */

void task_set_source(struct compile_task *t, const char *said) {
  autofree char *expanded = manifest_expand(said, t->root);
  t->source = path_abs(expanded);
  t->place = xstrdup(t->source);
  if (!t->stem)
    t->stem = path_stem(t->source);
}

bool task_has_source(const struct compile_task *t) {
  /* The compiler would wait for a FIFO's other end, or read a sparse file for hours. */
  autoclose fd = ckjit_open_named(t->source, O_RDONLY, 0, SOURCE_MOST, NULL);
  return fd >= 0;
}

bool task_no_source(const struct compile_task *t, char **err) {
  errno = 0;
  task_has_source(t); /* sets errno */
  return task_fail(
      t, err,
      "its source cannot be read: %s: %s [ckjit help no-source]\n"
      "the root is %s; pass --root, or set CK_JIT_ROOT, to the ck_jit directory of the install tree",
      t->source, ckjit_open_failed(errno), t->root);
}

bool task_use_text(struct compile_task *t, char **err) {
  struct argv words = {0};
  if (!t->text)
    return true;
  bool again = strcmp(t->source, t->place) != 0;
  free(t->source);
  t->source = path_join(t->temporary, path_base(t->place));
  if (!sourcetext_copy(t->source, t->place, t->text))
    return task_fail(t, err, "%s: cannot be written: %s", t->source, strerror(errno));
  if (again) /* the words are there */
    return true;
  if (!sourcetext_words(&words, t->kind->dialect, t->place))
    return task_fail(
        t, err,
        "%s was removed or changed after the library was linked, and nvcc's host compiler cannot take a directory of that name; link the library again",
        t->place);
  argv_add_all(&words, t->flags.args);
  ccargs_free(&t->cc);
  argv_free(&t->flags);
  t->flags = words;
  task_scan(t);
  return true;
}

enum ckjit_kind task_artefact(const struct compile_task *t) {
  if (!t->kernel)
    return t->per_kernel ? CKJIT_KIND_BLOB_HOST : CKJIT_KIND_BLOB;
  return strcmp(t->kernel, CKJIT_UNIT_FRONT_NAME) == 0  ? CKJIT_KIND_UNIT_FRONT
         : strcmp(t->kernel, CKJIT_UNIT_PART_NAME) == 0 ? CKJIT_KIND_UNIT_PART
                                                        : CKJIT_KIND_KERNEL;
}

bool task_is_whole(const struct compile_task *t) {
  return t->kernel && strcmp(t->kernel, CKJIT_UNIT_WHOLE) == 0;
}

void task_set_id(struct compile_task *t, const uint8_t key[CKJIT_KEY_SIZE]) {
  ckjit_artefact_id(t->id, task_artefact(t), key, t->archs);
  if (t->kernel)
    ckjit_symbol_id(t->id, artefact_symbol(t->kernel));
  memcpy(t->asked, t->id, sizeof t->asked);
  ckjit_build_id_hex(t->hex, t->id);
}

void task_scan(struct compile_task *t) {
  ccargs_scan(&t->cc, t->kind->dialect, t->flags.args);
}

void task_for(struct compile_task *f, const struct compile_task *t, const char *stem,
              const uint8_t key[CKJIT_KEY_SIZE], const char *archs, const char *kernel) {
  *f = *t;
  f->of = t;
  f->call = (struct task_call){0};
  f->export = (struct task_export){0};
  f->learnt = (struct buf){0};
  f->learnt_files = (struct argv){0};
  f->seen = NULL;
  f->places = NULL;
  *f->placed = 0;
  f->kernel = kernel;
  f->fragment = !kernel;
  snprintf(f->archs, sizeof f->archs, "%s", archs);
  task_set_id(f, key);
  f->stem = kernel ? artefact_stem(stem, strlen(stem), kernel) : xstrdup(stem);
  f->output = xasprintf("%s/%s.%s", t->dir, f->stem, kernel ? "so" : "o");
}

/* Free a member of T, unless it is that of the task that T was made for. */
#define FREE(release, member)                                                                                \
  do {                                                                                                       \
    if (!t->of || t->member != t->of->member)                                                                \
      release(t->member);                                                                                    \
  } while (0)
#define FREE_LIST(release, list, data)                                                                       \
  do {                                                                                                       \
    if (!t->of || t->list.data != t->of->list.data)                                                          \
      release(&t->list);                                                                                     \
  } while (0)

void task_free(struct compile_task *t) {
  FREE(free, stem);
  FREE(free, source);
  FREE(free, place);
  FREE(free, text);
  FREE(free, output);
  FREE(free, dir);
  FREE(free, compiler);
  FREE(free, root);
  FREE(free, said_flags);
  FREE(free, said_link);
  FREE(free, added_flags);
  FREE(free, inputs_file);
  FREE(free, stamps);
  FREE(inputs_free, inputs);
  FREE(seen_free, seen);
  FREE(environment_free, given);
  FREE_LIST(buf_free, variant, data);
  FREE_LIST(buf_free, learnt, data);
  FREE_LIST(argv_free, learnt_files, args);
  FREE_LIST(ccargs_free, cc, words);
  FREE_LIST(argv_free, flags, args);
  FREE_LIST(argv_free, link, args);
  FREE_LIST(argv_free, launcher, args);
  FREE_LIST(argv_free, passed, args);
  *t = (struct compile_task){0};
}
