/* ck_jit_host.c - the host's side of a HIP blob, whose code object comes when it is needed.
 *
 * The code object has to be of the text that the host's side is of. Both entries are only made of the very inputs that the key was made
 * from, so it is enough that the whole entry has the build id which belongs to the host's side. If it is not there it is compiled, and
 * ckjit-compile may say that it made another: a header was edited since, or the compiler is another. That is not used.
 */
#include "ck_jit_host.h"
#include "ck_jit_alone.h"
#include "ck_jit_artefact.h"
#include "ck_jit_entry.h"
#include "ck_jit_fail.h"
#include "ck_jit_flight.h"
#include "ck_jit_load.h"
#include "ck_jit_lock.h"
#include "ck_jit_lookup.h"
#include "ck_jit_manifest.h"
#include "ck_jit_say.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"
#include "ck_jit_table.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* What the shim asks, by its first member (ck_jit_hip_side.c). It stays as long as the host's side, for ever. */
struct ckjit_side {
  const void *(*code)(const struct ckjit_side *);
  uint32_t blob;
  char archs[CKJIT_ARCHS_SIZE];
  uint8_t whole[CKJIT_BUILD_ID_SIZE]; /* of the entry with the code object */
};

static uint8_t ckjit_host_sides[CKJIT_BLOBS]; /* atomic */
static int ckjit_host_failed[CKJIT_BLOBS];    /* it was said; atomic */

/* Settings under which a blob leaves the table, or a call looks at the cache each time, are for whole blobs. */
void ckjit_want_function(struct ckjit_wanted *w, uint32_t f) {
  if (CKJIT_IS_CUDA || w->unlinked || ckjit_memory_off() || ckjit_memory_max(NULL))
    return;
  w->alone = !ckjit_host_alone();
  if (!w->alone || ckjit_may_be_alone(w))
    w->function = ckjit_functions[f].hash;
  w->called = f;
}

bool ckjit_is_host_side(uint32_t blob) {
  return __atomic_load_n(&ckjit_host_sides[blob], __ATOMIC_RELAXED);
}

/* ---- the code object ---- */

/* The code object of OF, compiled if there is no entry. NULL and why in ERROR. */
static const void *ckjit_obtain_code(const struct ckjit_side *of, struct ckjit_text *error) {
  struct ckjit_wanted w;
  struct ckjit_text missing = {0};
  const void *data = NULL;
  bool empty;
  uint64_t traced = ckjit_span_start();
  ckjit_prepare_fork();
  bool again = ckjit_want(&w, of->blob, error);
  if (again && w.unlinked) {
    ckjit_add(
        error,
        "CK_JIT_DISABLE_FILE_CACHING was set after its host code was loaded; set it before the program starts");
    again = false;
  }
  if (again) { /* the architectures may have been named anew since */
    memcpy(w.archs, of->archs, sizeof w.archs);
    memcpy(w.id, of->whole, sizeof w.id);
    data = ckjit_load_code(&w, &empty, error);
  }
  for (int i = 0; i < CKJIT_ATTEMPTS && again && !data && !error->len; i++) {
    ckjit_text_clear(&missing);
    again = ckjit_fly(&w, &missing);
    if (memcmp(w.id, of->whole, sizeof w.id) != 0) {
      ckjit_add(
          error,
          "a header, the compiler or a setting changed after its host code was loaded, so its kernels would not match it; start the program again");
      break;
    }
    data = ckjit_load_code(&w, &empty, error);
  }
  if (!data && !error->len)
    ckjit_add(error, ckjit_reason(&missing));
  ckjit_span_end(&w, "kernel", traced, "status", data ? "0" : "failed");
  ckjit_text_free(&missing);
  ckjit_wanted_free(&w);
  return data;
}

/* Say that the kernels of OF cannot be had, because of WHY. HIP is about to say it, too. */
static void ckjit_code_fails(const struct ckjit_side *of, const struct ckjit_text *why) {
  struct ckjit_text error = {0};
  size_t n = 0;
  const char *stem = ckjit_stem_of(of->blob, &n), *mode = ckjit_env("CK_JIT_ON_ERROR");
  ckjit_addf(&error, "%.*s: its kernels: %s", (int)n, stem, ckjit_reason(why));
  if (mode && strcmp(mode, "abort") == 0)
    ckjit_fail(&error);
  ckjit_add(&error, "\nits launches fail with hipErrorInvalidDeviceFunction; this is reported once");
  if (!__atomic_exchange_n(&ckjit_host_failed[of->blob], 1, __ATOMIC_RELAXED))
    ckjit_say(CKJIT_ERROR, ckjit_reason(&error), strlen(ckjit_reason(&error)));
  ckjit_text_free(&error);
}

/* What the shim calls. */
static const void *ckjit_host_code(const struct ckjit_side *of) {
  int saved = errno, cancel;
  struct ckjit_text why = {0};
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  const void *data = ckjit_obtain_code(of, &why);
  if (data)
    __atomic_store_n(&ckjit_host_sides[of->blob], 0, __ATOMIC_RELAXED);
  else
    ckjit_code_fails(of, &why);
  ckjit_text_free(&why);
  pthread_setcancelstate(cancel, NULL);
  errno = saved;
  return data;
}

/* ---- the host's side ---- */

/* Tell the side behind HANDLE, of W, whom to ask. Before anybody else can call a function of it. */
static bool ckjit_side_tell(void *handle, const struct ckjit_wanted *w) {
  void (*attach)(const struct ckjit_side *);
  *(void **)&attach = dlsym(handle, "ckjit_side_attach");
  struct ckjit_side *of = attach ? calloc(1, sizeof *of) : NULL;
  if (!of)
    return false;
  of->code = ckjit_host_code;
  of->blob = w->blob;
  memcpy(of->archs, w->archs, sizeof of->archs);
  ckjit_artefact_id(of->whole, CKJIT_KIND_BLOB, ckjit_blobs[w->blob].key, w->archs);
  /* the side stays, and so does what it calls: this library cannot be unloaded any more */
  void *library = w->library.data ? dlopen(w->library.data, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) : NULL;
  if (library)
    dlclose(library);
  attach(of);
  return true;
}

/* Load the host's side of W in the cache DIR, if it is there. */
static void *ckjit_host_load_from(const struct ckjit_wanted *w, const struct ckjit_text *dir) {
  char path[PATH_MAX];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct ckjit_text below = {0}, error = {0};
  const char *why;
  void *handle = NULL;
  if (!dir->len)
    return NULL;
  uint64_t traced = ckjit_span_start();
  ckjit_addf(&below, "%s/" CKJIT_HOST, dir->data);
  ckjit_artefact_id(id, CKJIT_KIND_HOST_SIDE, ckjit_blobs[w->blob].key, w->archs);
  if (ckjit_whole(&below) && ckjit_entry_find(path, below.data, w->stem, w->stem_len, id, &why))
    handle = ckjit_load(path, 0, id, &error);
  if (handle && !ckjit_side_tell(handle, w)) {
    dlclose(handle);
    handle = NULL;
  }
  if (handle) {
    ckjit_tell(w, "loaded from %s", path);
    ckjit_span_end(w, "load", traced, "file", path);
    if (dir == &w->cache)
      utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
  } else if (error.len) {
    ckjit_tell(w, "%s", error.data);
  }
  ckjit_text_free(&below);
  ckjit_text_free(&error);
  return handle;
}

void *ckjit_host_load(const struct ckjit_wanted *w, uint32_t f) {
  uint8_t own[CKJIT_BUILD_ID_SIZE];
  ckjit_artefact_id(own, CKJIT_KIND_BLOB, ckjit_blobs[w->blob].key, w->archs);
  if (!w->function || memcmp(w->id, own, sizeof own) != 0)
    return NULL; /* its kernels are made by another compiler by now, or of other headers */
  if (w->alone)
    return ckjit_alone_load(w, f);
  void *handle = ckjit_host_load_from(w, &w->readonly);
  if (!handle)
    handle = ckjit_host_load_from(w, &w->cache);
  void *ours = handle;
  if (!handle)
    return NULL;
  if (ckjit_enter(w->blob, &handle))
    __atomic_store_n(&ckjit_host_sides[w->blob], 1, __ATOMIC_RELAXED);
  else
    dlclose(ours); /* another thread was first, mostly with the same object */
  return handle;
}
