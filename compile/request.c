/* request.c - from the command line to a task with nothing left open.
 *
 * Three ways lead to one: the source and its flags themselves (direct mode), a blob of a manifest,
 * and a kernel of CUDA, whose entry says all. What they leave open is the same for all: for which
 * architectures, under which build id, where to, by which compiler, within which limits.
 */
#include "request.h"
#include "environment.h"
#include "find_compiler.h"
#include "abi/ck_jit_access.h"
#include "core/base/env.h"
#include "core/base/number.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/cc/launcher.h"
#include "core/files/manifest.h"

#include <blake2.h>
#include <unistd.h>

/* What a manifest says beyond what goes into the task at once. */
struct facts {
  struct buf archs; /* of the blob's group, a ';' list */
  uint8_t key[CKJIT_KEY_SIZE];
  bool has_key;
  char *compiler;
  const struct compiler *compiler_kind;
};

/* The root that was said, absolute; NULL: none was. free() it. */
static char *root_given(const struct compile_options *o) {
  const char *root = o->root && *o->root ? o->root : env_get("CK_JIT_ROOT");
  return root ? path_abs(root) : NULL;
}

/* ---- the source, or a kernel ---- */

static bool from_source(struct compile_task *t, const struct compile_options *o) {
  t->root = root_given(o);
  if (!t->root)
    t->root = path_self_dir();
  task_add_flags(&t->flags, o->flags, t->root);
  task_add_flags(&t->link, o->link, t->root);
  t->said_flags = xstrdup(o->flags ? o->flags : "");
  t->said_link = xstrdup(o->link ? o->link : "");
  t->kernel = o->kernel;
  task_set_source(t, o->source);
  return true;
}

/* one kernel of a CUDA blob; that of a lazy unit is from_source */
static bool from_entry(struct compile_task *t, const struct compile_options *o) {
  t->kernel = o->kernel;
  t->of_entry = true;
  t->source = path_abs(o->entry);
  t->place = xstrdup(t->source);
  t->stem = path_stem(o->output ? o->output : o->entry);
  t->root = o->root ? path_abs(o->root) : path_self_dir();
  t->said_flags = xstrdup("");
  t->said_link = xstrdup("");
  return true;
}

/* ---- a blob of a manifest ----
 *
 * The manifest is named, or it is the one in the root of the install that this program lies in. Its
 * flags and names hold {root}, which is what is given, or wherever the blob's source is found. The
 * build id that the library asks for must have the blob's key: the manifest of another build would
 * give it other code.
 */

static char *manifest_name(const struct compile_options *o) {
  const char *given = o->manifest ? o->manifest : env_get("CK_JIT_MANIFEST");
  if (given)
    return path_abs(given);
  autofree char *root = root_given(o);
  if (!root)
    root = path_self_dir();
  return path_join(root, MANIFEST_NAME);
}

static struct manifest *read_manifest(const struct compile_options *o, char **err) {
  autofree char *name = manifest_name(o);
  struct manifest *m = manifest_open(name, err);
  if (m && m->unkeyed) {
    *err =
        xasprintf("%s: records of a build, whose blobs have no keys before the link; give the " MANIFEST_NAME
                  " of the linked library",
                  m->file);
    manifest_free(m);
    return NULL;
  }
  return m;
}

/* The root for BLOB: the one given, else the first of the manifest's directory (an install), the
 * build-time root (a manifest in the work directory) and this program's directory that has the
 * source. */
static char *root_for(const struct compile_options *o, const struct manifest *m,
                      const struct manifest_blob *blob) {
  char *root = root_given(o);
  if (root)
    return root;
  char *candidates[] = {path_dir(m->file), xstrdup(m->root), path_self_dir()};
  autofree char *distrust = *m->root ? trust_why(m->root) : NULL;
  if (distrust) /* gone, or another user could have put there what is there now */
    candidates[1][0] = 0;
  for (size_t i = 0; i < 3; i++) {
    autofree char *source = manifest_expand(blob->source, candidates[i]);
    if (!root && candidates[i][0] && ckjit_may(source, R_OK))
      root = xstrdup(candidates[i]);
  }
  if (!root)
    root = xstrdup(candidates[0]);
  for (size_t i = 0; i < 3; i++)
    free(candidates[i]);
  return root;
}

/* The library that asks names the build id that it will look for. It would load code of another key
 * under that id, so a manifest of another build is refused. */
static bool check_key(const struct compile_options *o, const struct manifest *m,
                      const struct manifest_blob *blob, char **err) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!o->build_id || !ckjit_build_id_parse(id, o->build_id) || memcmp(id, blob->key, CKJIT_KEY_SIZE) == 0)
    return true;
  return err_fail(
      err,
      "%s: %s describes another build of it (other source, headers, flags or compiler); use the manifest of the library's own install tree",
      blob->stem, m->file);
}

static bool take_blob(struct compile_task *t, const struct compile_options *o, const struct manifest *m,
                      const struct manifest_blob *blob, char **err) {
  const struct manifest_group *group = &m->groups[blob->group];
  t->root = root_for(o, m, blob);
  t->stem = xstrdup(blob->stem);
  for (size_t i = 0; i < group->flags.n; i++)
    argv_add_own(&t->flags, manifest_expand(group->flags.args[i], t->root));
  for (size_t i = 0; i < group->link.n; i++)
    argv_add_own(&t->link, manifest_expand(group->link.args[i], t->root));
  task_add_flags(&t->link, o->link, t->root);
  t->said_flags = argv_join(group->flags.args);
  t->said_link = argv_join(group->link.args);
  t->kernel = o->kernel || !blob->unit ? o->kernel : CKJIT_UNIT_WHOLE;
  if (o->kernel && !blob->unit)
    return task_fail(t, err, "it is a blob, not a unit with separately compiled kernels; omit --kernel");
  if (o->format && blob->unit)
    return task_fail(
        t, err,
        "it is a unit, not a blob, and its kernels are not exported; compile its source with the compiler");
  if (!o->link && !o->inputs)
    t->inputs_file = manifest_inputs(m, group, t->root);
  task_set_source(t, blob->source);
  return true;
}

static void take_facts(struct facts *facts, const struct manifest *m, const struct manifest_blob *blob) {
  const struct manifest_group *group = &m->groups[blob->group];
  const struct argv *archs = &group->archs;
  for (size_t i = 0; i < archs->n; i++)
    buf_printf(&facts->archs, "%s%s", i ? ";" : "", archs->args[i]);
  memcpy(facts->key, blob->key, sizeof facts->key);
  facts->has_key = true;
  facts->compiler = xstrdup(manifest_compiler(m, group));
  facts->compiler_kind = manifest_kind(m, group);
}

static bool from_manifest(struct compile_task *t, const struct compile_options *o, struct facts *facts,
                          char **err) {
  struct manifest *m = read_manifest(o, err);
  if (!m)
    return false;
  const struct manifest_blob *blob = manifest_find_any(m, o->blob);
  if (!blob)
    *err = manifest_unknown(m, o->blob, true);
  bool done = blob && check_key(o, m, blob, err);
  if (done) {
    take_facts(facts, m, blob);
    done = take_blob(t, o, m, blob, err);
  }
  manifest_free(m);
  return done;
}

/* ---- what they leave open ---- */

/* A build id for what is compiled by hand: of the source's bytes, the flags and the architectures.
 * Headers are not in it; it is the post-build linker that knows them. */
static bool hash_input(struct compile_task *t, char **err) {
  size_t len;
  autofree char *text = file_read_text(t->source, &len);
  if (!text)
    return task_no_source(t, err);
  autofree char *flags = argv_join(t->flags.args), *link = argv_join(t->link.args);
  blake2b_state s;
  blake2b_init(&s, CKJIT_BUILD_ID_SIZE);
  blake2b_update(&s, (const uint8_t *)flags, strlen(flags) + 1);
  blake2b_update(&s, (const uint8_t *)link, strlen(link) + 1);
  blake2b_update(&s, (const uint8_t *)t->archs, strlen(t->archs) + 1);
  blake2b_update(&s, (const uint8_t *)text, len);
  blake2b_final(&s, t->id, CKJIT_BUILD_ID_SIZE);
  return true;
}

static bool set_build_id(struct compile_task *t, const struct compile_options *o, const struct facts *facts,
                         char **err) {
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
  t->export.format = o->format ? export_format_parse(o->format) : EXPORT_NONE;
  t->export.soname = o->soname;
  t->export.probe = o->probe;
  t->export.built = o->built;
  t->export.symbols = &o->symbols;
  t->export.parts = &o->parts;
  return !t->export.format || check_archs(t, o, err);
}

static void set_output(struct compile_task *t, const struct compile_options *o) {
  if (o->inputs)
    t->inputs_file = path_abs(o->inputs);
  t->output_fd = o->output_fd;
  t->output = o->output ? path_abs(o->output) : xasprintf("descriptor %d", o->output_fd);
  t->dir = path_dir(t->output);
  t->cache = o->cache;
  t->call.progress = o->progress;
  t->verbose = o->verbose || env_flag("CK_JIT_VERBOSE");
  t->call.unless_busy = o->unless_busy;
  t->call.look = o->look;
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

/* More flags than the blob's own: the same key, and code that must not be taken for that of the key
 * alone. */
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

/* An export for another host: its compiler's words, after all others. */
static bool set_host(struct compile_task *t, const struct compile_options *o, char **err) {
  return !o->host_target || compiler_add_host(&t->flags, t->kind, o->host_target) ||
         task_fail(t, err, "the compiler %s is for one machine; it has no option for %s", t->compiler,
                   o->host_target);
}

static bool set_compiler(struct compile_task *t, const struct compile_options *o, const struct facts *facts,
                         char **err) {
  const char *by_default = o->build_hipcc ? o->build_hipcc : facts->compiler;
  if (!find_compiler(t, o->kind ? compiler_of_kind(o->kind) : facts->compiler_kind, o->hipcc, by_default,
                     o->bundle, err))
    return false;
  if (!set_host(t, o, err))
    return false;
  task_scan(t);
  return environment_read(t, err) && launcher_read(&t->launcher, err);
}

static bool set_rest(struct compile_task *t, const struct compile_options *o, const struct facts *facts,
                     char **err) {
  set_archs(t, o, facts->archs.data);
  if (!set_build_id(t, o, facts, err) || !set_limits(t, err) || !set_export(t, o, err))
    return false;
  set_output(t, o);
  add_flags(t, o);
  if (o->function)
    t->call.function = strtoull(o->function, NULL, 16);
  t->call.likely = o->likely;
  set_per_kernel(t, o);
  return set_compiler(t, o, facts, err);
}

bool request_read(struct compile_task *t, const struct compile_options *o, char **err) {
  struct facts facts = {0};
  buf_puts(&facts.archs, "");
  bool done = (o->entry  ? from_entry(t, o)
               : o->blob ? from_manifest(t, o, &facts, err)
                         : from_source(t, o)) &&
              set_rest(t, o, &facts, err);
  buf_free(&facts.archs);
  free(facts.compiler);
  return done;
}
