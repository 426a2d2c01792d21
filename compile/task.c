/* task.c - from the command line to a task with nothing left open.
 *
 * Three ways lead to one: the source and its flags themselves (direct mode), a blob of a manifest
 * (from_manifest.c), and a kernel of CUDA, whose entry says all. What they leave open is the same for all:
 * for which architectures, under which build id, where to, by which compiler, within which limits.
 */
#include "task.h"
#include "abi/ck_jit_access.h"
#include "environment.h"
#include "find_compiler.h"
#include "from_manifest.h"
#include "seen.h"
#include "abi/ck_jit_file.h"
#include "core/base/env.h"
#include "core/base/number.h"
#include "core/base/path.h"
#include "core/cache/artefact.h"
#include "core/cc/launcher.h"
#include "core/files/manifest.h"
#include "core/files/sourcetext.h"

#include <blake2.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool task_fail(const struct compile_task *t, char **err, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  struct buf b = {0};
  char *text;
  if (vasprintf(&text, fmt, args) < 0)
    text = NULL;
  va_end(args);
  buf_printf(&b, "%s: %s", t->stem, text ? text : "memory is gone");
  free(text);
  *err = b.data;
  return false;
}

/* ---- what several ways need ---- */

char *task_root_given(const struct compile_options *o) {
  const char *root = o->root && *o->root ? o->root : env_get("CK_JIT_ROOT");
  return root ? path_abs(root) : NULL;
}

/* TEXT is split before {root} is replaced: a root with a space in its name must stay one word. */
void task_add_flags(struct argv *to, const char *text, const char *root) {
  struct argv words = {0};
  if (text)
    argv_split(&words, text, strlen(text));
  for (size_t i = 0; i < words.n; i++)
    argv_add_own(to, manifest_expand(words.args[i], root));
  argv_free(&words);
}

enum { SOURCE_MOST = 1 << 30 }; /* bytes */

void task_set_source(struct compile_task *t, const char *said) {
  char *expanded = manifest_expand(said, t->root);
  t->source = path_abs(expanded);
  t->place = xstrdup(t->source);
  free(expanded);
  if (!t->stem)
    t->stem = path_stem(t->source);
}

bool task_has_source(const struct compile_task *t) {
  /* The compiler would wait for a FIFO's other end, or read a sparse file for hours. */
  int fd = ckjit_open_named(t->source, O_RDONLY, 0, SOURCE_MOST, NULL);
  if (fd >= 0)
    close(fd);
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

/* ---- the ways ---- */

static bool from_source(struct compile_task *t, const struct compile_options *o) {
  t->root = task_root_given(o);
  if (!t->root)
    t->root = path_self_dir();
  task_add_flags(&t->flags, o->flags, t->root);
  task_add_flags(&t->link, o->link, t->root);
  t->said_flags = xstrdup(o->flags ? o->flags : "");
  t->said_link = xstrdup(o->link ? o->link : "");
  t->kernel = o->kernel;
  t->of_unit = o->kernel;
  task_set_source(t, o->source);
  return true;
}

/* one kernel of CUDA; that of a lazy unit is from_source */
static bool from_entry(struct compile_task *t, const struct compile_options *o) {
  t->kernel = o->kernel;
  t->source = path_abs(o->entry);
  t->place = xstrdup(t->source);
  t->stem = path_stem(o->output ? o->output : o->entry);
  t->root = path_self_dir();
  t->said_flags = xstrdup("");
  t->said_link = xstrdup("");
  return true;
}

/* ---- what they leave open ---- */

/* A build id for what is compiled by hand: of the source's bytes, the flags and the architectures. Headers
 * are not in it; it is the post-build linker that knows them. */
static bool hash_input(struct compile_task *t, char **err) {
  size_t len;
  char *text = file_read_text(t->source, &len);
  if (!text)
    return task_no_source(t, err);
  char *flags = argv_join(t->flags.args), *link = argv_join(t->link.args);
  blake2b_state s;
  blake2b_init(&s, CKJIT_BUILD_ID_SIZE);
  blake2b_update(&s, (const uint8_t *)flags, strlen(flags) + 1);
  blake2b_update(&s, (const uint8_t *)link, strlen(link) + 1);
  blake2b_update(&s, (const uint8_t *)t->archs, strlen(t->archs) + 1);
  blake2b_update(&s, (const uint8_t *)text, len);
  blake2b_final(&s, t->id, CKJIT_BUILD_ID_SIZE);
  free(flags);
  free(link);
  free(text);
  return true;
}

enum ckjit_kind task_artefact(const struct compile_task *t) {
  if (!t->kernel)
    return t->per_kernel ? CKJIT_KIND_BLOB_HOST : CKJIT_KIND_BLOB;
  return !t->of_unit                                     ? CKJIT_KIND_BLOB_KERNEL
         : strcmp(t->kernel, CKJIT_UNIT_FRONT_NAME) == 0 ? CKJIT_KIND_UNIT_FRONT
         : strcmp(t->kernel, CKJIT_UNIT_PART_NAME) == 0  ? CKJIT_KIND_UNIT_PART
                                                         : CKJIT_KIND_UNIT_KERNEL;
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

static bool set_build_id(struct compile_task *t, const struct compile_options *o,
                         const struct manifest_facts *facts, char **err) {
  if (o->build_id)
    ckjit_build_id_parse(t->id, o->build_id); /* checked with the options */
  else if (facts->has_key)
    task_set_id(t, facts->key);
  else if (!hash_input(t, err))
    return false;
  memcpy(t->asked, t->id, sizeof t->asked);
  ckjit_build_id_hex(t->hex, t->id);
  return true;
}

static void set_archs(struct compile_task *t, const struct compile_options *o, const char *built) {
  if (!o->arch) {
    ckjit_archs(built, t->archs);
    return;
  }
  const char *at = o->arch, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    ckjit_arch_add(t->archs, word, n);
}

/* The words of --arch: each must be an architecture, and there must be room for all. */
static bool check_archs(const struct compile_task *t, const struct compile_options *o, char **err) {
  const char *at = o->arch ? o->arch : "", *word;
  char archs[CKJIT_ARCHS_SIZE] = "";
  for (size_t n; (word = ckjit_arch_next(&at, &n));) {
    if (!export_arch_is_sound(word, n))
      return task_fail(t, err,
                       "'%.*s' is not an architecture; expected one such as gfx942, gfx90a:xnack- or sm_90",
                       (int)n, word);
    if (!ckjit_arch_add(archs, word, n))
      return task_fail(t, err, "too many architectures");
  }
  return true;
}

static bool set_export(struct compile_task *t, const struct compile_options *o, char **err) {
  t->format = o->format;
  t->soname = o->soname;
  t->probe = o->probe;
  t->built = o->built;
  t->symbols = &o->symbols;
  t->parts = &o->parts;
  return !t->format || check_archs(t, o, err);
}

static void set_output(struct compile_task *t, const struct compile_options *o) {
  if (o->inputs)
    t->inputs_file = path_abs(o->inputs);
  t->output_fd = o->output_fd;
  t->output = o->output ? path_abs(o->output) : xasprintf("descriptor %d", o->output_fd);
  t->dir = path_dir(t->output);
  t->cache = o->cache;
  t->progress = o->progress;
  t->verbose = o->verbose || env_flag("CK_JIT_VERBOSE");
  t->unless_busy = o->unless_busy;
  if (t->cache) {
    /* The runtime looks for the name that it asked for. */
    free(t->stem);
    t->stem = path_stem(t->output);
  }
}

/* A number of seconds; BY_DEFAULT if the variable is not set. */
static bool read_seconds(double *seconds, const char *variable, double by_default, char **err) {
  const char *text = env_get(variable);
  *seconds = by_default;
  return !text || number_seconds(variable, text, seconds, err);
}

/* More flags than the blob's own: the same key, and code that must not be taken for that of the key alone. */
static void add_flags(struct compile_task *t, const struct compile_options *o) {
  if (!o->add_flags || !*o->add_flags)
    return;
  task_add_flags(&t->flags, o->add_flags, t->root);
  t->added_flags = xstrdup(o->add_flags);
  buf_printf(&t->variant, "flags %s\n", o->add_flags);
}

/* what the environment says about how it is to be done */
static bool set_limits(struct compile_task *t, char **err) {
  return read_seconds(&t->timeout, "CK_JIT_COMPILE_TIMEOUT", 3600, err) &&
         read_seconds(&t->patience, "CK_JIT_LOCK_PATIENCE", 20, err) && cachedir_limits(&t->limits, err);
}

static void set_per_kernel(struct compile_task *t, const struct compile_options *o) {
  if (!o->per_kernel)
    return;
  t->asked_per_kernel = t->per_kernel = true;
  ckjit_build_id_parse(t->whole, o->per_kernel); /* checked with the options */
}

static bool set_compiler(struct compile_task *t, const struct compile_options *o,
                         const struct manifest_facts *facts, char **err) {
  const char *by_default = o->build_hipcc ? o->build_hipcc : facts->compiler;
  if (!find_compiler(t, o->kind ? o->kind : facts->compiler_kind, o->hipcc, by_default, err))
    return false;
  task_scan(t);
  return environment_read(t, err) && launcher_read(&t->launcher, err);
}

static bool set_rest(struct compile_task *t, const struct compile_options *o,
                     const struct manifest_facts *facts, char **err) {
  set_archs(t, o, facts->archs.data);
  if (!set_build_id(t, o, facts, err) || !set_limits(t, err) || !set_export(t, o, err))
    return false;
  set_output(t, o);
  add_flags(t, o);
  if (o->function)
    t->function = strtoull(o->function, NULL, 16);
  t->likely = o->likely;
  set_per_kernel(t, o);
  return set_compiler(t, o, facts, err);
}

bool task_read(struct compile_task *t, const struct compile_options *o, char **err) {
  struct manifest_facts facts = {0};
  buf_puts(&facts.archs, "");
  bool done = (o->entry  ? from_entry(t, o)
               : o->blob ? task_from_manifest(t, o, &facts, err)
                         : from_source(t, o)) &&
              set_rest(t, o, &facts, err);
  buf_free(&facts.archs);
  free(facts.compiler);
  return done;
}

void task_scan(struct compile_task *t) {
  ccargs_scan(&t->cc, t->kind->dialect, t->flags.args);
}

void task_free(struct compile_task *t) {
  free(t->stem);
  free(t->source);
  free(t->place);
  free(t->text);
  free(t->output);
  free(t->dir);
  free(t->compiler);
  free(t->root);
  free(t->said_flags);
  free(t->said_link);
  free(t->added_flags);
  free(t->inputs_file);
  free(t->stamps);
  inputs_free(t->inputs);
  buf_free(&t->variant);
  buf_free(&t->learnt);
  argv_free(&t->learnt_files);
  seen_free(t->seen);
  environment_free(t->given);
  ccargs_free(&t->cc);
  argv_free(&t->flags);
  argv_free(&t->link);
  argv_free(&t->launcher);
  argv_free(&t->passed);
  *t = (struct compile_task){0};
}
