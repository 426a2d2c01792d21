/* cache.c - the place and the content of the cache. The rules are the runtime's, so that it finds
 * entries that are built ahead of time. */
#include "cache.h"
#include "help.h"
#include "prebuild.h"
#include "core/base/env.h"
#include "core/cache/artefact.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/cachedir.h"
#include "core/cache/lease.h"
#include "core/cc/compiler.h"
#include "core/files/unitkernels.h"

#include <pwd.h>
#include <unistd.h>

char *cache_default(void) {
  const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME"),
             *name = env_get("CK_JIT_NAME");
  struct passwd *user = home && *home ? NULL : getpwuid(geteuid());
  if (!name)
    name = "ck_jit";
  if (xdg && xdg[0] == '/') /* the XDG specification: ignore a relative one */
    return path_abs_in(xdg, name);
  if (!(home && *home) && !(user && user->pw_dir && *user->pw_dir))
    return NULL;
  autofree char *base = path_join(home && *home ? home : user->pw_dir, ".cache"),
                *full = path_join(base, name);
  return path_abs(full);
}

/* Reported once, in the runtime's words. */
static void check_readonly(void) {
  const char *dir = env_get("CK_JIT_CACHE_READONLY_DIR"),
             *why = dir ? ckjit_readonly_check(dir) : NULL;
  if (why)
    warn("CK_JIT_CACHE_READONLY_DIR: %s %s: it is not used", dir, why);
}

void cache_choose(struct request *r, const char *given) {
  const char *set = env_get("CK_JIT_CACHE_DIR");
  r->cache_named = given ? "--cache-dir" : set ? "CK_JIT_CACHE_DIR" : NULL;
  r->cache = r->cache_named ? path_abs(given ? given : set) : cache_default();
  if (!r->cache)
    die(EXIT_FAILED, "there is no cache directory: pass --cache-dir DIR, or set CK_JIT_CACHE_DIR, "
                     "XDG_CACHE_HOME or HOME [ckjit help no-cache-directory]");
  check_readonly();
}

bool cache_expect(const struct request *r) {
  const char *by = r->cache_named ? r->cache_named : "the default";
  if (file_is_dir(r->cache))
    return true;
  if (file_exists(r->cache))
    die(EXIT_FAILED,
        "%s: the cache directory %s (%s) is not a directory; name one by --cache-dir or "
        "CK_JIT_CACHE_DIR",
        r->command, r->cache, by);
  if (r->cache_named)
    die(EXIT_FAILED,
        "%s: the cache directory %s (%s) does not exist; correct the name, or compile kernels into "
        "it with `%s build` [ckjit help no-such-cache]",
        r->command, r->cache, by, help_program());
  note("the cache directory %s does not exist yet", r->cache);
  return false;
}

bool cache_open(const struct request *r) {
  if (!cache_expect(r))
    return false;
  const char *why = ckjit_cache_check(r->cache);
  if (why)
    die(EXIT_FAILED, "%s: the cache directory %s %s [ckjit help cache-not-trusted]", r->command,
        r->cache, why);
  return true;
}

void cache_kernel_id(const struct manifest_blob *blob, const char *archs, const char *kernel,
                     uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  ckjit_artefact_id(id, blob->unit ? CKJIT_KIND_KERNEL : CKJIT_KIND_BLOB, blob->key, archs);
  if (blob->unit)
    ckjit_symbol_id(id, artefact_symbol(kernel ? kernel : CKJIT_UNIT_WHOLE));
}

char *cache_kernel_stem(const struct manifest_blob *blob, const char *kernel) {
  return blob->unit ? unitkernel_name(blob->stem, kernel ? kernel : CKJIT_UNIT_WHOLE)
                    : xstrdup(blob->stem);
}

void cache_build_id(const struct manifest_blob *blob, const char *archs,
                    uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  cache_kernel_id(blob, archs, NULL, id);
}

char *cache_stem(const struct manifest_blob *blob) {
  return cache_kernel_stem(blob, NULL);
}

bool cache_has(const struct request *r, const struct manifest_blob *blob, const char *archs) {
  char path[PATH_MAX];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  cache_build_id(blob, archs, id);
  return cache_find_id(r, blob, id, path);
}

bool cache_has_all(const struct request *r, const struct manifest_blob *blob) {
  const struct argv *lists = &r->archs[blob->group];
  for (size_t i = 0; i < lists->n; i++)
    if (!cache_has(r, blob, lists->args[i]))
      return false;
  return true;
}

bool cache_key_apart(const struct request *r, const struct manifest_blob *blob, const char *archs,
                     uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  const struct compiler *kind = manifest_kind(r->m, &r->m->groups[blob->group]);
  if (!kind->kernels_apart || (!kind->all_apart && !blob->late))
    return false;
  ckjit_artefact_id(id, CKJIT_KIND_BLOB_HOST, blob->key, archs);
  return true;
}

/* those that are found: the requested build id, and that of the entry */
static struct taken { uint8_t id[CKJIT_BUILD_ID_SIZE], stored[CKJIT_BUILD_ID_SIZE]; } * taken;
static size_t ntaken;

void cache_take_variant(const uint8_t id[CKJIT_BUILD_ID_SIZE],
                        const uint8_t stored[CKJIT_BUILD_ID_SIZE]) {
  struct taken *t = vec_add(taken, ntaken);
  memcpy(t->id, id, sizeof t->id);
  memcpy(t->stored, stored, sizeof t->stored);
}

const uint8_t *cache_variant(const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  for (size_t i = 0; i < ntaken; i++)
    if (memcmp(taken[i].id, id, sizeof taken[i].id) == 0)
      return taken[i].stored;
  return NULL;
}

bool cache_find_stem(const struct request *r, const char *stem,
                     const uint8_t id[CKJIT_BUILD_ID_SIZE], char path[PATH_MAX]) {
  const char *why, *readonly = env_get("CK_JIT_CACHE_READONLY_DIR");
  const uint8_t *variant = cache_variant(id);
  size_t n = strlen(stem);
  return (readonly && !ckjit_readonly_check(readonly) &&
          ckjit_entry_find(path, readonly, stem, n, id, &why)) ||
         (!ckjit_cache_check(r->cache) &&
          (ckjit_entry_find(path, r->cache, stem, n, id, &why) ||
           (variant && ckjit_entry_find(path, r->cache, stem, n, variant, &why))));
}

/* The same; STEM is freed. */
static bool find(const struct request *r, char *stem, const uint8_t id[CKJIT_BUILD_ID_SIZE],
                 char path[PATH_MAX]) {
  bool found = cache_find_stem(r, stem, id, path);
  free(stem);
  return found;
}

bool cache_find_id(const struct request *r, const struct manifest_blob *blob,
                   const uint8_t id[CKJIT_BUILD_ID_SIZE], char path[PATH_MAX]) {
  return find(r, cache_stem(blob), id, path);
}

bool cache_find_kernel(const struct request *r, const struct manifest_blob *unit, const char *archs,
                       const char *kernel, char path[PATH_MAX]) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  cache_kernel_id(unit, archs, kernel, id);
  return find(r, cache_kernel_stem(unit, kernel), id, path);
}

/* Did its last compile fail? Then it left a log, and a failure of this very build id left its
 * message. */
static bool has_failed(const struct request *r, const char *stem, const char *hex) {
  autofree char *log = xasprintf("%s/" CKJIT_LOGS "/%s.log", r->cache, stem),
                *failure = xasprintf("%s/" CKJIT_LOCKS "/%s.failed", r->cache, hex);
  return file_exists(log) || file_exists(failure);
}

/* The leases of the cache DIR whose holders show no life: of nodes that died. All are watched at
 * once, when the first is met; they are not watched again. */
static const struct argv *silent_leases(const char *dir) {
  static struct argv silent;
  static char *of;
  if (of && strcmp(of, dir) == 0)
    return &silent;
  autofree char *locks = path_join(dir, CKJIT_LOCKS);
  autofree_argv paths = {0};
  lease_list(locks, &paths);
  autofree struct lease_watch *watches = xcalloc(paths.n + 1, sizeof *watches);
  for (size_t i = 0; i < paths.n; i++)
    watches[i].path = paths.args[i];
  lease_watch(watches, paths.n, CACHE_WATCH_SECONDS);
  argv_free(&silent);
  for (size_t i = 0; i < paths.n; i++)
    if (watches[i].life == LEASE_SILENT)
      argv_add(&silent, paths.args[i]);
  free(of);
  of = xstrdup(dir);
  return &silent;
}

/* Does a process compile it? A lease says so of another machine, as long as its holder shows
 * life. */
static bool is_compiling(const struct request *r, const char *hex) {
  autofree char *lock = cachedir_lock_path(r->cache, hex), *lease = xasprintf("%s.1", lock);
  return ckjit_lock_is_held(r->cache, hex) &&
         !(file_exists(lease) && argv_has(silent_leases(r->cache), lock));
}

const char *cache_lacks(const struct request *r, const char *stem, const char *hex) {
  return is_compiling(r, hex) ? "compiling" : has_failed(r, stem, hex) ? "failed" : "absent";
}
