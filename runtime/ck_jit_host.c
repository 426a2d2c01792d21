/* ck_jit_host.c - the functions of a HIP blob that launch nothing, without its kernels. */
#include "ck_jit_host.h"
#include "ck_jit_entry.h"
#include "ck_jit_load.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"
#include "ck_jit_symbols.h"

#include <dlfcn.h>

static void *ckjit_host_handles[CKJIT_BLOBS]; /* what dlopen returned; atomic, never reset */

/* Settings under which a blob leaves the table, or a call looks at the cache each time, are for whole blobs. */
void ckjit_want_function(struct ckjit_wanted *w, uint32_t f) {
  if (!CKJIT_IS_CUDA && !w->unlinked && ckjit_host_alone() && !ckjit_memory_off() && !ckjit_memory_max(NULL))
    w->function = ckjit_functions[f].hash;
}

void *ckjit_host_loaded(uint32_t f) {
  size_t functions;
  const struct ckjit_function *function = &ckjit_functions[f];
  void *handle =
      ckjit_memory_off() ? NULL : __atomic_load_n(&ckjit_host_handles[function->blob], __ATOMIC_ACQUIRE);
  const char *name = handle ? ckjit_function_name(handle, function->hash, &functions) : NULL;
  return name ? dlsym(handle, name) : NULL;
}

/* Load the entry of W in the cache DIR, if it is there. */
static void ckjit_host_load(const struct ckjit_wanted *w, const struct ckjit_text *dir) {
  char path[PATH_MAX];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct ckjit_text below = {0}, error = {0};
  const char *why;
  if (!dir->len)
    return;
  uint64_t traced = ckjit_span_start();
  ckjit_addf(&below, "%s/" CKJIT_HOST, dir->data);
  ckjit_host_id(id, ckjit_blobs[w->blob].key, w->archs);
  void *handle = NULL, *none = NULL;
  if (ckjit_whole(&below) && ckjit_entry_find(path, below.data, w->stem, w->stem_len, id, &why))
    handle = ckjit_load(path, 0, id, &error);
  if (handle) {
    ckjit_tell(w, "loaded from %s", path);
    if (!__atomic_compare_exchange_n(&ckjit_host_handles[w->blob], &none, handle, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
      dlclose(handle); /* another thread was first */
    ckjit_span_end(w, "load", traced, "file", path);
    if (dir == &w->cache) /* when it was used last: CK_JIT_CACHE_MAX_SIZE */
      utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
  } else if (error.len) {
    ckjit_tell(w, "%s", error.data);
  }
  ckjit_text_free(&below);
  ckjit_text_free(&error);
}

void *ckjit_host_find(const struct ckjit_wanted *w, uint32_t f) {
  if (!w->function)
    return NULL;
  const struct ckjit_text *dirs[] = {&w->readonly, &w->cache};
  for (int i = 0; i < 2 && !__atomic_load_n(&ckjit_host_handles[w->blob], __ATOMIC_ACQUIRE); i++)
    ckjit_host_load(w, dirs[i]);
  return ckjit_host_loaded(f);
}
