/* ck_jit_lookup.c - finds and loads wanted entries. */
#include "ck_jit_lookup.h"
#include "ck_jit_alone.h"
#include "ck_jit_code.h"
#include "ck_jit_entry.h"
#include "ck_jit_lazy.h"
#include "ck_jit_load.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"
#include "ck_jit_table.h"
#include "ck_jit_unlinked.h"

#include <dlfcn.h>

/* Make HANDLE that of BLOB: true. False if another thread was first; then *HANDLE becomes that
 * thread's. */
static bool ckjit_publish(uint32_t blob, void **handle) {
  void *ours = *handle;
  if (ckjit_enter(blob, handle))
    return true;
  dlclose(ours); /* usually the same object; another one if the entry was removed and made again */
  return false;
}

/* Look up the entry of W in DIR: its name in PATH, and its open descriptor in *FD, settled. */
static bool ckjit_find_entry(char path[PATH_MAX], const struct ckjit_wanted *w,
                             const struct ckjit_text *dir, int *fd) {
  const char *why = NULL;
  struct ckjit_kept kept = {.fd = -1, .settle = ckjit_unlinked_settle};
  uint64_t traced = ckjit_span_start();
  bool found = ckjit_entry_find_open(path, dir->data, w->stem, w->stem_len, w->id, &kept, &why);
  *fd = kept.fd;
  ckjit_span_end(w, "look up", traced, "status", found ? "hit" : why ? why : "miss");
  if (why && !found)
    ckjit_tell(w, "%s is not loaded: it %s", path, why);
  return found;
}

/* Load PATH, an entry of W open at FD, which is closed. NULL and the reason in WHY. */
static void *ckjit_load_file(const struct ckjit_wanted *w, const char *path, int fd,
                             struct ckjit_text *why) {
  /* Without the table each call wants the present entry of the cache, not one that was loaded by
   * that name before. */
  struct stat st;
  uint64_t number = ckjit_memory_off() && stat(path, &st) == 0 ? st.st_ino : 0;
  uint64_t traced = ckjit_span_start();
  void *handle = ckjit_load_kept(path, fd, number, w->id, why);
  ckjit_span_end(w, "load", traced, "file", path);
  if (handle && ckjit_comes_apart(w->blob) && !ckjit_attach(handle, w, path)) {
    dlclose(handle);
    handle = NULL;
  }
  return handle;
}

/* A second load of a file gives the same object, of a second copy another one. So the object of an
 * earlier copy is used again, if W's blob has left the table. */
static void *ckjit_copied(const struct ckjit_wanted *w) {
  void *handle = __atomic_load_n(&ckjit_blob_states[w->blob].copied, __ATOMIC_ACQUIRE);
  if (!handle || !ckjit_mapped_is(handle, w->id))
    return NULL;
  ckjit_enter(w->blob, &handle);
  return handle;
}

/* Load PATH, W's entry open at FD, which is closed, and make it W's. As ckjit_load_file. */
static void *ckjit_load_open(const struct ckjit_wanted *w, const char *path, int fd,
                             struct ckjit_text *why) {
  bool copy = ckjit_unlinked_at(fd);
  void *handle = copy ? ckjit_copied(w) : NULL;
  if (handle) {
    close(fd);
    return handle;
  }
  handle = ckjit_load_file(w, path, fd, why);
  if (handle && ckjit_publish(w->blob, &handle)) {
    ckjit_tell(w, "loaded from %s", path);
    if (copy)
      __atomic_store_n(&ckjit_blob_states[w->blob].copied, handle, __ATOMIC_RELEASE);
  }
  return handle;
}

/* Load the entry of W in DIR. As ckjit_load_entry. */
static void *ckjit_load_from(const struct ckjit_wanted *w, const struct ckjit_text *dir,
                             struct ckjit_text *error) {
  char path[PATH_MAX];
  struct ckjit_text why = {0};
  int fd;
  if (!dir->len || !ckjit_find_entry(path, w, dir, &fd))
    return NULL;
  void *handle = ckjit_load_open(w, path, fd, &why);
  if (handle)
    ckjit_alone_outdated(w);
  /* If the file is gone, somebody cleaned the cache this moment, and it is a miss. */
  if (!handle && faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0)
    ckjit_addf(error,
               "the compiled blob %s cannot be loaded: %s [ckjit help not-loadable]\n"
               "remove it if it is damaged: it will be compiled again",
               path, ckjit_reason(&why));
  ckjit_text_free(&why);
  /* Time of the last use, for CK_JIT_CACHE_MAX_SIZE: least recently used entries are evicted
   * first. */
  if (handle && dir == &w->cache)
    utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
  return handle;
}

/* Load W's file, or find an earlier one of the blob that is loaded and has left the table. */
static void *ckjit_load_unlinked(const struct ckjit_wanted *w, struct ckjit_text *error) {
  void **kept = &ckjit_blob_states[w->blob].unlinked,
       *handle = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
  if (handle && !ckjit_memory_off()) {
    ckjit_enter(w->blob, &handle);
    return handle;
  }
  if (w->file < 0 || !(handle = ckjit_unlinked_load(w->file, w->id, error)))
    return NULL;
  if (ckjit_publish(w->blob, &handle)) {
    ckjit_tell(w, "loaded from an unlinked file");
    if (!ckjit_memory_off())
      __atomic_store_n(kept, handle, __ATOMIC_RELEASE);
  }
  return handle;
}

/* An entry of the read-only directory that cannot be loaded is no reason to fail: the kernel can be
 * compiled. */
void *ckjit_load_entry(const struct ckjit_wanted *w, struct ckjit_text *error) {
  struct ckjit_text why = {0};
  void *handle = w->unlinked ? ckjit_load_unlinked(w, error) : NULL;
  if (handle || error->len || w->file >= 0)
    return handle;
  handle = ckjit_load_from(w, &w->readonly, &why);
  if (why.len)
    ckjit_tell(w, "%s", why.data);
  ckjit_text_free(&why);
  return handle ? handle : ckjit_load_from(w, &w->cache, error);
}

/* ---- code without host side ---- */

#define CKJIT_CODE_SECTION (CKJIT_CUDA ? CKJIT_CODE_CUDA : CKJIT_CODE_HIP)

/* The code of W in the entry open at FD, which was verified. NULL and the reason in ERROR. */
static const void *ckjit_map_code(const struct ckjit_wanted *w, int fd, bool *empty,
                                  struct ckjit_text *error) {
  uint64_t size = 0;
  const void *code = NULL;
  bool is = !w->kernel || ckjit_code_is_of(fd, w->kernel);
  if (is)
    code = ckjit_code_map(fd, CKJIT_CODE_SECTION, &size);
  if (!is)
    ckjit_add(error, "another text of a program has the same hash; change the text");
  else if (!code)
    ckjit_add(error, "its cache entry contains no kernel that can be mapped; remove it");
  *empty = code && !size;
  return code;
}

/* The code of W's entry in DIR. */
static const void *ckjit_code_in(const struct ckjit_wanted *w, const struct ckjit_text *dir,
                                 bool *empty, struct ckjit_text *error) {
  char path[PATH_MAX];
  int fd;
  if (!dir->len || !ckjit_find_entry(path, w, dir, &fd))
    return NULL;
  uint64_t traced = ckjit_span_start();
  const void *code = ckjit_map_code(w, fd, empty, error);
  close(fd);
  ckjit_span_end(w, "load", traced, "file", path);
  if (code) {
    ckjit_tell(w, "loaded from %s", path);
    if (dir == &w->cache) /* time of the last use, for CK_JIT_CACHE_MAX_SIZE */
      utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
  }
  return code;
}

/* The code in W's unlinked file, or in an earlier one, which has all kernels of its unit. */
static const void *ckjit_unlinked_code(const struct ckjit_wanted *w, bool *empty,
                                       struct ckjit_text *error) {
  void **kept = &ckjit_blob_states[w->blob].unlinked,
       *code = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
  if (code && !ckjit_memory_off()) {
    ckjit_enter(w->blob, &code);
    return code;
  }
  if (w->file < 0 || !(code = (void *)ckjit_map_code(w, w->file, empty, error)))
    return NULL;
  if (*empty) {
    ckjit_add(error, "its unlinked file has no kernel");
    return NULL;
  }
  if (ckjit_enter(w->blob, &code)) {
    ckjit_tell(w, "loaded from an unlinked file");
    if (!ckjit_memory_off())
      __atomic_store_n(kept, code, __ATOMIC_RELEASE);
  }
  return code;
}

const void *ckjit_load_code(const struct ckjit_wanted *w, bool *empty, struct ckjit_text *error) {
  struct ckjit_text refused = {0};
  *empty = false;
  if (w->unlinked)
    return ckjit_unlinked_code(w, empty, error);
  const void *code = ckjit_code_in(w, &w->readonly, empty, &refused);
  if (refused.len)
    ckjit_tell(w, "%s: %s", w->readonly.data, refused.data);
  ckjit_text_free(&refused);
  return code ? code : ckjit_code_in(w, &w->cache, empty, error);
}

/* ---- queries ---- */

bool ckjit_has_entry(const struct ckjit_wanted *w) {
  char path[PATH_MAX];
  const char *why;
  if (w->unlinked)
    return ckjit_loaded(w->blob);
  return w->cache.len && ckjit_entry_find(path, w->cache.data, w->stem, w->stem_len, w->id, &why);
}

bool ckjit_has_readonly_entry(const struct ckjit_wanted *w) {
  char path[PATH_MAX];
  const char *why;
  return w->readonly.len &&
         ckjit_entry_find(path, w->readonly.data, w->stem, w->stem_len, w->id, &why);
}

bool ckjit_is_locked(const struct ckjit_wanted *w) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, w->id);
  return w->cache.len && ckjit_lock_is_held(w->cache.data, hex);
}
