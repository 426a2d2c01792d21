/* ck_jit_lazy.c - see ck_jit_lazy.h. */
#include "ck_jit_lazy.h"

#include "ck_jit_artefact.h"
#include "ck_jit_capture.h"
#include "ck_jit_count.h"
#include "ck_jit_fail.h"
#include "ck_jit_flight.h"
#include "ck_jit_lock.h"
#include "ck_jit_lookup.h"
#include "ck_jit_manifest.h"
#include "ck_jit_protocol.h"
#include "ck_jit_say.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"
#include "ck_jit_symbols.h"
#include "ck_jit_unit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* The entry of W's blob was removed since it was loaded: have it made again, for its bitcode. */
static void ckjit_entry_again(const struct ckjit_wanted *w, struct ckjit_text *missing) {
  struct ckjit_wanted entry;
  if (ckjit_want(&entry, w->blob, missing)) {
    ckjit_want_apart(&entry);
    ckjit_fly(&entry, missing);
  }
  ckjit_wanted_free(&entry);
}

/* The code of W, as ckjit_load_code; it is compiled if there is no entry. Or *ALL: of one kernel of
 * a unit, which would have to be compiled into a cache that cannot be written to. */
static const void *ckjit_lazy_obtain(struct ckjit_wanted *w, bool whole, int *all, bool *empty,
                                     struct ckjit_text *error) {
  struct ckjit_text missing = {0};
  const void *code = ckjit_load_code(w, empty, error);
  if (code)
    ckjit_count_call(w, CKJIT_STAT_HIT, 0);
  *all = !code && !error->len && !w->entry && ckjit_want_own_file(w) && !whole;
  bool again = !*all;
  for (int i = 0; i < CKJIT_ATTEMPTS && again && !code && !error->len; i++) {
    ckjit_text_clear(&missing);
    if (w->entry && faccessat(AT_FDCWD, w->entry, R_OK, AT_EACCESS))
      ckjit_entry_again(w, &missing);
    again = ckjit_fly(w, &missing);
    code = ckjit_load_code(w, empty, error);
    if (w->unlinked) {
      ckjit_arrive(w->blob);
      ckjit_wanted_close(w);
    }
  }
  if (!code && !*all && !error->len)
    ckjit_add(error, ckjit_reason(&missing));
  ckjit_text_free(&missing);
  return code;
}

/* Say that KERNEL of the unit or blob ROW cannot be had, because of WHY, and free it. SAID is NULL
 * for a blob, whose call fails. */
static void ckjit_lazy_fail(uint32_t row, const char *kernel, struct ckjit_text *why, int *said) {
  struct ckjit_text error = {0};
  size_t n = 0;
  const char *stem = row < ckjit_facts.blobs ? ckjit_stem_of(row, &n) : "",
             *mode = ckjit_env("CK_JIT_ON_ERROR");
  ckjit_addf(&error, "%.*s: kernel %.*s: ", (int)n, stem, (int)ckjit_choices_len(kernel), kernel);
  struct ckjit_text name = {0};
  ckjit_add_demangled(&name, kernel);
  if (ckjit_whole(&name) && strcmp(name.data, kernel) != 0)
    ckjit_addf(&error, "%s: ", name.data);
  ckjit_text_free(&name);
  ckjit_add(&error, ckjit_reason(why));
  ckjit_text_free(why);
  if (!said || (mode && strcmp(mode, "abort") == 0))
    ckjit_fail(&error);
  ckjit_addf(&error, "\nits launch fails with %sErrorInvalidDeviceFunction; this is reported once",
             CKJIT_CUDA ? "cuda" : "hip");
  if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED))
    ckjit_say(CKJIT_ERROR, ckjit_reason(&error), strlen(ckjit_reason(&error)));
  ckjit_text_free(&error);
}

/* ---- the kernels of a blob's entry ---- */

/* what they are looked up by; it stays as long as the entry, for ever */
struct ckjit_entry_of {
  uint32_t blob;
  uint8_t id[CKJIT_BUILD_ID_SIZE]; /* of the entry */
  char path[];
};

/* The fat binary of KERNEL of the entry CONTEXT; see ck_jit_cuda_kernels.c. */
static const void *ckjit_entry_code(void *context, const char *kernel, int *all) {
  const struct ckjit_entry_of *of = context;
  struct ckjit_wanted w;
  struct ckjit_text why = {0};
  int saved = errno, cancel;
  bool empty = false;
  const void *code = NULL;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  uint64_t traced = ckjit_span_start();
  ckjit_prepare_fork();
  if (ckjit_want(&w, of->blob, &why) && ckjit_want_kernel(&w, of->id, of->path, kernel))
    code = ckjit_lazy_obtain(&w, true, all, &empty, &why);
  ckjit_span_end(&w, "kernel", traced, "kernel", kernel);
  ckjit_wanted_free(&w);
  pthread_setcancelstate(cancel, NULL);
  if (!code)
    ckjit_lazy_fail(of->blob, kernel, &why, NULL);
  *all = empty;
  errno = saved;
  return code;
}

bool ckjit_attach(void *handle, const struct ckjit_wanted *w, const char *path) {
  typedef const void *find(void *context, const char *kernel, int *all);
  void (*attach)(find * f, void *context);
  *(void **)&attach = dlsym(handle, "ckjit_kernels_attach");
  if (!attach)
    return true;
  struct ckjit_entry_of *of = malloc(sizeof *of + strlen(path) + 1);
  if (!of)
    return false;
  of->blob = w->blob;
  memcpy(of->id, w->id, sizeof of->id);
  strcpy(of->path, path);
  attach(ckjit_entry_code, of);
  return true;
}

/* ---- the kernels of units ---- */

#if CKJIT_LAZY
/* The row of the unit with KEY; ckjit_facts.blobs: there is none. */
static uint32_t ckjit_lazy_row(const char *key) {
  char hex[CKJIT_UNIT_KEY_HEX + 1];
  for (uint32_t row = ckjit_facts.blobs - ckjit_facts.lazy_units; row < ckjit_facts.blobs; row++) {
    ckjit_hex(hex, ckjit_blobs[row].key, CKJIT_KEY_SIZE);
    if (memcmp(hex, key, CKJIT_UNIT_KEY_HEX) == 0)
      return row;
  }
  return ckjit_facts.blobs;
}

/* Does the whole unit of W exist, or is it requested in place of one kernel? */
static bool ckjit_lazy_comes_whole(struct ckjit_wanted *w) {
  return w->unlinked || !ckjit_kernels_apart() || ckjit_has_readonly_entry(w) || ckjit_has_entry(w);
}

/* The fat binary of KERNEL of the unit ROW; as ckjit_lazy_code. *ALL if the whole unit exists and
 * the kernel's entry does not, or with CK_JIT_PER_KERNEL=0. Without a cache all kernels come in one
 * unlinked file, as a blob does. */
static const void *ckjit_lazy_find(uint32_t row, const char *kernel, int *all,
                                   struct ckjit_text *why) {
  struct ckjit_wanted w;
  const void *code = NULL;
  bool empty = false, whole = strcmp(kernel, CKJIT_UNIT_WHOLE) == 0;
  uint64_t traced = ckjit_span_start();
  ckjit_prepare_fork();
  if (ckjit_want_anyhow(&w, row, why)) {
    uint8_t id[CKJIT_BUILD_ID_SIZE];
    *all = !whole && !strchr(kernel, '+') && ckjit_lazy_comes_whole(&w);
    ckjit_artefact_id(id, CKJIT_KIND_KERNEL, ckjit_blobs[row].key, w.archs);
    if (!whole && !*all && !ckjit_want_kernel(&w, id, NULL, kernel))
      ckjit_add(why, "out of memory");
    else if (!*all)
      code = ckjit_lazy_obtain(&w, whole, all, &empty, why);
  }
  ckjit_span_end(&w, "kernel", traced, "kernel", kernel);
  ckjit_wanted_free(&w);
  if (!empty)
    return code;
  if (whole)
    ckjit_add(why, "its cache entry contains no kernel; remove it");
  else
    *all = 1;
  return NULL;
}

bool ckjit_lazy_load(uint32_t row, struct ckjit_text *why) {
  int all;
  return ckjit_lazy_find(row, CKJIT_UNIT_WHOLE, &all, why) != NULL;
}

const void *ckjit_lazy_try(const char *key, const char *kernel, int *all, struct ckjit_text *why) {
  int saved = errno, cancel;
  const void *data = NULL;
  uint32_t row = ckjit_lazy_row(key);
  *all = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  if (row < ckjit_facts.blobs)
    data = ckjit_lazy_find(row, kernel, all, why);
  else
    ckjit_add(why, "this library was not linked from that unit");
  if (*all && strchr(kernel, '+')) {
    *all = 0;
    ckjit_add(why, "kernels that are chosen by tags need a writable cache directory");
  }
  pthread_setcancelstate(cancel, NULL);
  errno = saved;
  return data;
}

bool ckjit_lazy_count(const char *key, const char *kernel, void **of) {
  int saved = errno, cancel;
  uint32_t row = ckjit_capturing() ? ckjit_lazy_row(key) : ckjit_facts.blobs;
  if (row < ckjit_facts.blobs) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    ckjit_prepare_fork();
    ckjit_capture_launch(of, row, kernel);
    pthread_setcancelstate(cancel, NULL);
  }
  errno = saved;
  return row < ckjit_facts.blobs;
}

const void *ckjit_lazy_code(const char *key, const char *kernel, int *all, int *said) {
  int saved = errno, cancel;
  struct ckjit_text why = {0};
  const void *data = ckjit_lazy_try(key, kernel, all, &why);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  if (!data && !*all)
    ckjit_lazy_fail(ckjit_lazy_row(key), kernel, &why, said);
  else
    ckjit_text_free(&why);
  pthread_setcancelstate(cancel, NULL);
  errno = saved;
  return data;
}

#endif
