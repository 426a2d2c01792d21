/* from_manifest.c - manifest mode: a task out of a ck_jit_manifest.json.
 *
 * The manifest is named, or it is the one in the root of the install that this program lies in. Its flags
 * and names hold {root}, which is what is said, or wherever the blob's source is found. The build id that
 * the library asks for must have the blob's key: the manifest of another build would give it other code.
 */
#include "from_manifest.h"
#include "abi/ck_jit_access.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/files/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the file ---- */

static char *manifest_name(const struct compile_options *o) {
  const char *given = o->manifest ? o->manifest : env_get("CK_JIT_MANIFEST");
  if (given)
    return path_abs(given);
  char *root = task_root_given(o);
  if (!root)
    root = path_self_dir();
  char *name = path_join(root, MANIFEST_NAME);
  free(root);
  return name;
}

static struct manifest *read_manifest(const struct compile_options *o, char **err) {
  char *name = manifest_name(o);
  struct manifest *m = manifest_open(name, err);
  free(name);
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

/* ---- the blob ---- */

/* The root for BLOB: the one given, else the first of the manifest's directory (an install), the build-time
 * root (a manifest in the work directory) and this program's directory that has the source. */
static char *root_for(const struct compile_options *o, const struct manifest *m,
                      const struct manifest_blob *blob) {
  char *root = task_root_given(o);
  if (root)
    return root;
  char *candidates[] = {path_dir(m->file), xstrdup(m->root), path_self_dir()};
  char *distrust = *m->root ? trust_why(m->root) : NULL;
  if (distrust) /* gone, or another user could have put there what is there now */
    candidates[1][0] = 0;
  free(distrust);
  for (size_t i = 0; i < 3; i++) {
    char *source = manifest_expand(blob->source, candidates[i]);
    if (!root && candidates[i][0] && ckjit_may(source, R_OK))
      root = xstrdup(candidates[i]);
    free(source);
  }
  if (!root)
    root = xstrdup(candidates[0]);
  for (size_t i = 0; i < 3; i++)
    free(candidates[i]);
  return root;
}

/* The library that asks names the build id that it will look for. It would load code of another key under
 * that id, so a manifest of another build is refused. */
static bool check_key(const struct compile_options *o, const struct manifest *m,
                      const struct manifest_blob *blob, char **err) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!o->build_id || !ckjit_build_id_parse(id, o->build_id) || memcmp(id, blob->key, CKJIT_KEY_SIZE) == 0)
    return true;
  *err = xasprintf(
      "%s: %s describes another build of it (other source, headers, flags or compiler); use the manifest of the library's own install tree",
      blob->stem, m->file);
  return false;
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
  t->of_unit = blob->unit;
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

static void take_facts(struct manifest_facts *facts, const struct manifest *m,
                       const struct manifest_blob *blob) {
  const struct manifest_group *group = &m->groups[blob->group];
  const struct argv *archs = &group->archs;
  for (size_t i = 0; i < archs->n; i++)
    buf_printf(&facts->archs, "%s%s", i ? ";" : "", archs->args[i]);
  memcpy(facts->key, blob->key, sizeof facts->key);
  facts->has_key = true;
  facts->compiler = xstrdup(manifest_compiler(m, group));
  facts->compiler_kind = manifest_kind(m, group);
}

bool task_from_manifest(struct compile_task *t, const struct compile_options *o, struct manifest_facts *facts,
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
