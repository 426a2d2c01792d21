/* task.c - from the command line, and in manifest mode the manifest, to a task with nothing left
 * open. */
#include "task.h"
#include "find_compiler.h"
#include "core/cc/compiler.h"
#include "core/base/env.h"
#include "core/cc/launcher.h"
#include "core/files/manifest.h"
#include "core/base/path.h"

#include <blake2.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANIFEST_NAME "ck_jit_manifest.json" /* in an install's root */

static void add_expanded(struct argv *to, const struct argv *words, const char *root) {
  for (size_t i = 0; i < words->n; i++)
    argv_add_own(to, manifest_expand(words->args[i], root));
}

/* FLAGS is split before {root} is replaced: a root with a space in its name must stay one word. */
static void add_text(struct argv *to, const char *flags, const char *root) {
  struct argv words = {0};
  if (flags)
    argv_split(&words, flags, strlen(flags));
  add_expanded(to, &words, root);
  argv_free(&words);
}

/* the root that was said, absolute; NULL where none was. free() it */
static char *root_given(const struct compile_options *o) {
  const char *root = o->root && *o->root ? o->root : env_get("CK_JIT_ROOT");
  return root ? path_abs(root) : NULL;
}

static char *source_unreadable(const char *stem, const char *source, const char *root) {
  return xasprintf("%s: its source cannot be read: %s: %s\n"
                   "the root is %s; --root or CK_JIT_ROOT names another, the ck_jit directory of the install",
                   stem, source, strerror(errno), root);
}

/* ---- direct mode ---- */

static char *read_direct(struct compile_task *t, const struct compile_options *o) {
  char *root = root_given(o), *expanded;
  if (!root)
    root = path_self_dir();
  expanded = manifest_expand(o->source, root);
  t->source = path_abs(expanded);
  t->stem = path_stem(t->source);
  add_text(&t->flags, o->flags, root);
  add_text(&t->link, o->link, root);
  char *why = access(t->source, R_OK) == 0 ? NULL : source_unreadable(t->stem, t->source, root);
  free(expanded);
  t->root = root;
  t->said_flags = xstrdup(o->flags ? o->flags : "");
  t->said_link = xstrdup(o->link ? o->link : "");
  return why;
}

/* ---- one kernel of CUDA ---- */

static char *read_kernel(struct compile_task *t, const struct compile_options *o) {
  t->kernel = o->kernel;
  t->source = path_abs(o->entry);
  t->stem = path_stem(o->output ? o->output : o->entry);
  t->root = path_self_dir();
  t->said_flags = xstrdup("");
  t->said_link = xstrdup("");
  return NULL;
}

/* ---- manifest mode ---- */

/* The root for BLOB: the one given, else the first of the manifest's directory (an install), the build-time
 * root (a manifest in the work directory) and this program's directory that has the source. */
static char *root_for(const struct compile_options *o, const struct manifest *m,
                      const struct manifest_blob *blob) {
  char *root = root_given(o);
  if (root)
    return root;
  char *candidates[] = {path_dir(m->file), xstrdup(m->root), path_self_dir()};
  for (size_t i = 0; i < 3; i++) {
    char *source = manifest_expand(blob->source, candidates[i]);
    if (!root && candidates[i][0] && access(source, R_OK) == 0)
      root = xstrdup(candidates[i]);
    free(source);
  }
  if (!root)
    root = xstrdup(candidates[0]);
  for (size_t i = 0; i < 3; i++)
    free(candidates[i]);
  return root;
}

static char *manifest_name(const struct compile_options *o) {
  const char *given = o->manifest ? o->manifest : env_get("CK_JIT_MANIFEST");
  if (given)
    return path_abs(given);
  char *root = root_given(o);
  if (!root)
    root = path_self_dir();
  char *name = path_join(root, MANIFEST_NAME);
  free(root);
  return name;
}

static void join_archs(struct buf *list, const struct argv *archs) {
  buf_add(list, "", 0);
  for (size_t i = 0; i < archs->n; i++)
    buf_printf(list, "%s%s", i ? ";" : "", archs->args[i]);
}

/* Fill T's names and flags from BLOB of M. */
static char *take_blob(struct compile_task *t, const struct compile_options *o, const struct manifest *m,
                       const struct manifest_blob *blob) {
  const struct manifest_group *group = &m->groups[blob->group];
  char *root = root_for(o, m, blob), *expanded = manifest_expand(blob->source, root);
  t->source = path_abs(expanded);
  t->stem = xstrdup(blob->stem);
  add_expanded(&t->flags, &group->flags, root);
  add_expanded(&t->link, &group->link, root);
  add_text(&t->link, o->link, root);
  char *why = access(t->source, R_OK) == 0 ? NULL : source_unreadable(t->stem, t->source, root);
  free(expanded);
  t->root = root;
  t->said_flags = argv_join(group->flags.args);
  t->said_link = argv_join(group->link.args);
  if (!o->link && !o->inputs)
    t->inputs_file = manifest_inputs(m, group, root);
  return why;
}

/* The library that asks names the build id it will look for. Code of another key under that id would be
 * loaded by it, so a manifest of another build is refused. */
static char *check_key(const struct compile_options *o, const struct manifest *m,
                       const struct manifest_blob *blob) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!o->build_id || !ckjit_build_id_parse(id, o->build_id) || memcmp(id, blob->key, CKJIT_KEY_SIZE) == 0)
    return NULL;
  return xasprintf(
      "%s: %s describes another build of it than the one asked for (other source, headers, flags or "
      "compiler); use the manifest of the library's own install",
      blob->stem, m->file);
}

/* what a manifest says beyond what goes into the task at once */
struct said {
  struct buf archs; /* the group's, a ';' list */
  uint8_t key[CKJIT_KEY_SIZE];
  bool has_key;
  char *compiler;
};

static char *read_manifest(struct compile_task *t, const struct compile_options *o, struct said *said) {
  char *name = manifest_name(o), *why = NULL;
  struct manifest *m = manifest_read(name, &why);
  free(name);
  if (!m)
    return why;
  const struct manifest_blob *blob = manifest_find_any(m, o->blob);
  if (m->unkeyed)
    why = xasprintf(
        "%s: records of a build, whose blobs have no keys before the link; give the ck_jit_manifest.json of "
        "the linked library",
        m->file);
  else if (!blob)
    why = xasprintf("unknown blob '%s': %s has %zu blobs and none of that name", o->blob, m->file, m->nblobs);
  else
    why = check_key(o, m, blob);
  if (!why) {
    join_archs(&said->archs, &m->groups[blob->group].archs);
    memcpy(said->key, blob->key, sizeof said->key);
    said->has_key = true;
    said->compiler = xstrdup(m->compiler);
    why = take_blob(t, o, m, blob);
  }
  manifest_free(m);
  return why;
}

/* ---- both ---- */

/* A build id for what is compiled by hand: of the source's bytes, the flags and the architectures. Headers
 * are not in it; it is the post-build linker that knows them. */
static char *hash_input(struct compile_task *t) {
  size_t len;
  char *text = file_read(t->source, &len);
  if (!text)
    return xasprintf("%s: cannot read %s: %s", t->stem, t->source, strerror(errno));
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
  return NULL;
}

static char *set_build_id(struct compile_task *t, const struct compile_options *o, const struct said *said) {
  char *why = NULL;
  if (o->build_id)
    ckjit_build_id_parse(t->id, o->build_id); /* checked with the options */
  else if (said->has_key)
    ckjit_build_id(t->id, said->key, t->archs);
  else
    why = hash_input(t);
  ckjit_build_id_hex(t->hex, t->id);
  return why;
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

/* The pieces of --arch: each is to be one, and there is room for all. */
static char *check_archs(const struct compile_task *t, const struct compile_options *o) {
  const char *at = o->arch ? o->arch : "", *word;
  char archs[CKJIT_ARCHS_SIZE] = "";
  for (size_t n; (word = ckjit_arch_next(&at, &n));) {
    if (!export_arch_is_sound(word, n))
      return xasprintf("%s: '%.*s' is no architecture; expected one such as gfx942, gfx90a:xnack- or sm_90",
                       t->stem, (int)n, word);
    if (!ckjit_arch_add(archs, word, n))
      return xasprintf("%s: too many architectures", t->stem);
  }
  return NULL;
}

static char *set_export(struct compile_task *t, const struct compile_options *o) {
  t->format = o->format;
  t->soname = o->soname;
  t->probe = o->probe;
  t->built = o->built;
  t->symbols = &o->symbols;
  t->parts = &o->parts;
  return t->format ? check_archs(t, o) : NULL;
}

static void set_output(struct compile_task *t, const struct compile_options *o) {
  if (o->inputs)
    t->inputs_file = path_abs(o->inputs);
  t->output_fd = o->output_fd;
  t->output = o->output ? path_abs(o->output) : xasprintf("descriptor %d", o->output_fd);
  t->dir = path_dir(t->output);
  t->cache = o->cache;
  t->verbose = o->verbose || env_flag("CK_JIT_VERBOSE");
  if (t->cache) {
    /* The runtime looks for the name that it asked for. */
    free(t->stem);
    t->stem = path_stem(t->output);
  }
}

/* A number of seconds, BY_DEFAULT where the variable is not set. */
static char *read_seconds(double *seconds, const char *variable, double by_default) {
  const char *text = env_get(variable);
  char *end = NULL;
  *seconds = text ? strtod(text, &end) : by_default;
  if (!text || (end != text && !*end && *seconds >= 0 && *seconds < 1e9))
    return NULL;
  return xasprintf("%s='%s': expected a number of seconds, or 0 for no limit", variable, text);
}

/* More flags than the blob's own: the same key, and code that must not be taken for that of the key alone. */
static void add_flags(struct compile_task *t, const struct compile_options *o) {
  if (!o->add_flags || !*o->add_flags)
    return;
  add_text(&t->flags, o->add_flags, t->root);
  t->added_flags = xstrdup(o->add_flags);
  buf_printf(&t->variant, "flags %s\n", o->add_flags);
}

/* what the environment says about how it is to be done */
static char *set_limits(struct compile_task *t) {
  char *why = read_seconds(&t->timeout, "CK_JIT_COMPILE_TIMEOUT", 3600);
  if (!why)
    why = read_seconds(&t->patience, "CK_JIT_LOCK_PATIENCE", 20);
  if (!why)
    cachedir_limits(&t->limits, &why);
  return why;
}

char *compile_task_read(struct compile_task *t, const struct compile_options *o) {
  struct said said = {0};
  buf_add(&said.archs, "", 0);
  char *why = o->kernel ? read_kernel(t, o) : o->blob ? read_manifest(t, o, &said) : read_direct(t, o);
  if (!why) {
    set_archs(t, o, said.archs.data);
    why = set_build_id(t, o, &said);
  }
  if (!why)
    why = set_limits(t);
  if (!why)
    why = set_export(t, o);
  if (!why) {
    set_output(t, o);
    add_flags(t, o);
    if (o->per_kernel) {
      t->asked_per_kernel = t->per_kernel = true;
      ckjit_build_id_parse(t->whole, o->per_kernel);
    }
    why = compile_find_compiler(&t->compiler, o->kind, o->hipcc, said.compiler);
    if (!why && compiler_dialect(t->compiler) == CC_NVCC)
      compiler_clean_environment();
  }
  if (!why)
    launcher_read(&t->launcher, &why);
  buf_free(&said.archs);
  free(said.compiler);
  return why;
}

void compile_task_free(struct compile_task *t) {
  free(t->stem);
  free(t->source);
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
  argv_free(&t->flags);
  argv_free(&t->link);
  argv_free(&t->launcher);
  *t = (struct compile_task){0};
}
