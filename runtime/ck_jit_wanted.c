/* ck_jit_wanted.c - a wanted entry: a blob of this library, or one kernel of it, for this
 * machine. */
#include "ck_jit_wanted.h"
#include "ck_jit_artefact.h"
#include "ck_jit_entry.h"
#include "ck_jit_manifest.h"
#include "ck_jit_say.h"
#include "ck_jit_self.h"
#include "ck_jit_settings.h"
#include "ck_jit_spawn.h"
#include "ck_jit_unit.h"
#include "ck_jit_unpack.h"

bool ckjit_want_kernel(struct ckjit_wanted *w, const uint8_t of[CKJIT_BUILD_ID_SIZE],
                       const char *entry, const char *name) {
  size_t n;
  const char *stem = ckjit_stem_of(w->blob, &n);
  if (of != w->id)
    memcpy(w->id, of, sizeof w->id);
  uint64_t hash = ckjit_fnv1a(name, strlen(name));
  ckjit_symbol_id(w->id, hash);
  ckjit_text_clear(&w->kernel_stem);
  ckjit_add_bytes(&w->kernel_stem, stem, n);
  ckjit_addf(&w->kernel_stem, CKJIT_SYMBOL_FORMAT, (unsigned long long)hash);
  w->kernel = name;
  w->kernel_hash = hash ? hash : 1;
  w->entry = entry;
  if (!ckjit_whole(&w->kernel_stem))
    return false;
  w->stem = w->kernel_stem.data;
  w->stem_len = w->kernel_stem.len;
  return true;
}

static void ckjit_want_id(struct ckjit_wanted *w) {
  const bool unit = ckjit_is_lazy_unit(w->blob);
  ckjit_artefact_id(w->id, unit ? CKJIT_KIND_KERNEL : CKJIT_KIND_BLOB, ckjit_blobs[w->blob].key,
                    w->archs);
  w->kernel = NULL;
  w->kernel_hash = 0;
  if (unit)
    ckjit_want_kernel(w, w->id, NULL, CKJIT_UNIT_WHOLE);
}

static void ckjit_want_blob(struct ckjit_wanted *w, uint32_t blob, bool unlinked) {
  *w = (struct ckjit_wanted){
      .blob = blob, .environment = ckjit_environ(), .unlinked = unlinked, .file = -1};
  ckjit_add_library(&w->library);
  w->stem = ckjit_stem_of(blob, &w->stem_len);
  ckjit_archs(ckjit_string(ckjit_group_of(blob)->archs), w->archs);
  ckjit_want_id(w);
}

/* Printed once. */
static void ckjit_tell_own_files(const char *why) {
  static int said;
  ckjit_warn_once(&said, "%s\nuntil then each process compiles its own kernels, into unnamed files",
                  why);
}

/* As ckjit_want. *NONE: the only problem is that no cache can be made. */
static bool ckjit_want_cached(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error,
                              bool *none) {
  static int said;
  const char *bad = NULL;
  ckjit_want_blob(w, blob, ckjit_file_off());
  if (!w->unlinked)
    ckjit_find_readonly(&w->readonly);
  ckjit_memory_max(&bad);
  if (bad)
    ckjit_warn_once(
        &said,
        "CK_JIT_MEMORY_CACHE_MAX: expected a number of kernels, found '%s': there is no limit",
        bad);
  return w->unlinked ? ckjit_may_load(error) : ckjit_find_cache(&w->cache, error, none);
}

bool ckjit_want(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error) {
  bool none = false;
  return ckjit_want_cached(w, blob, error, &none);
}

bool ckjit_want_anyhow(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error) {
  bool none = false;
  if (ckjit_want_cached(w, blob, error, &none))
    return true;
  if (!none)
    return false;
  ckjit_tell_own_files(ckjit_reason(error));
  ckjit_text_clear(error);
  ckjit_text_clear(&w->cache);
  w->unlinked = true;
  return true;
}

bool ckjit_want_own_file(struct ckjit_wanted *w) {
  if (w->unlinked || !w->cache.len || ckjit_never_compiles() ||
      faccessat(AT_FDCWD, w->cache.data, W_OK | X_OK, AT_EACCESS) == 0 ||
      (errno != EROFS && errno != EACCES))
    return false;
  struct ckjit_text why = {0};
  ckjit_addf(
      &why,
      "the cache directory %s cannot be written to: %s (set CK_JIT_CACHE_DIR to one that can, and "
      "CK_JIT_CACHE_READONLY_DIR to this one) [ckjit help cache-not-written]",
      w->cache.data, strerror(errno));
  ckjit_tell_own_files(ckjit_reason(&why));
  ckjit_text_free(&why);
  if (w->apart)
    memcpy(w->id, w->whole, sizeof w->id);
  w->apart = false;
  w->function = 0;
  w->unlinked = true;
  return true;
}

/* Each kernel of a lazy unit has its own entry anyhow, and the wanted entry is that of the whole
 * unit. */
bool ckjit_per_kernel(const struct ckjit_wanted *w) {
  return ckjit_comes_apart(w->blob) && !w->unlinked && ckjit_kernels_apart();
}

/* The build id differs: a process that wants all kernels finds them in the entry with the blob's
 * own id. */
void ckjit_want_apart(struct ckjit_wanted *w) {
  memcpy(w->whole, w->id, sizeof w->whole);
  ckjit_artefact_id(w->id, CKJIT_KIND_BLOB_HOST, ckjit_blobs[w->blob].key, w->archs);
  w->apart = true;
}

void ckjit_want_fresh(struct ckjit_wanted *w, uint32_t blob, const char *add_flags,
                      const char *archs) {
  ckjit_want_blob(w, blob, true);
  w->add_flags = add_flags;
  if (!archs)
    return;
  w->archs[0] = 0;
  ckjit_archs_said(archs, ckjit_string(ckjit_group_of(blob)->archs), w->archs);
  ckjit_want_id(w);
}

void ckjit_want_other(struct ckjit_wanted *w, uint32_t blob) {
  if (ckjit_blobs[blob].group != ckjit_blobs[w->blob].group)
    ckjit_archs(ckjit_string(ckjit_group_of(blob)->archs), w->archs);
  w->blob = blob;
  w->function = 0;
  w->stem = ckjit_stem_of(blob, &w->stem_len);
  ckjit_want_id(w);
}

void ckjit_want_root(struct ckjit_wanted *w) {
  if (!w->root.path.len && !w->root.path.lost)
    ckjit_find_root(&w->root, &w->library);
}

bool ckjit_want_bundle(struct ckjit_wanted *w, struct ckjit_text *error) {
  struct ckjit_text root = {0};
  const char *library = ckjit_whole(&w->library), *cache = ckjit_whole(&w->cache);
  if (w->bundle.len || w->root.from != CKJIT_ROOT_WRITTEN || !library || !*library || !cache)
    return true;
  bool good = ckjit_unpack(&root, &w->bundle, library, cache, error);
  if (!good || !w->bundle.len) {
    ckjit_text_free(&root);
    return good;
  }
  ckjit_text_free(&w->root.path);
  w->root.path = root;
  w->root.from = CKJIT_ROOT_NAMED; /* in the cache, which is the user's own */
  return true;
}

void ckjit_wanted_close(struct ckjit_wanted *w) {
  if (w->file >= 0)
    close(w->file);
  w->file = -1;
}

void ckjit_wanted_free(struct ckjit_wanted *w) {
  ckjit_text_free(&w->cache);
  ckjit_text_free(&w->readonly);
  ckjit_text_free(&w->root.path);
  ckjit_text_free(&w->bundle);
  ckjit_text_free(&w->library);
  ckjit_text_free(&w->kernel_stem);
  ckjit_wanted_close(w);
}

void ckjit_tell(const struct ckjit_wanted *w, const char *fmt, ...) {
  struct ckjit_text line = {0};
  va_list ap;
  if (!ckjit_verbose())
    return;
  ckjit_addf(&line, "%.*s: ", (int)w->stem_len, w->stem);
  va_start(ap, fmt);
  ckjit_vaddf(&line, fmt, ap);
  va_end(ap);
  if (ckjit_whole(&line))
    ckjit_say(CKJIT_PROGRESS, line.data, line.len);
  ckjit_text_free(&line);
}
