/* ck_jit_kernels.c - the kernels of a CUDA blob that are compiled one by one. */
#include "ck_jit_kernels.h"
#include "ck_jit_count.h"
#include "ck_jit_entry.h"
#include "ck_jit_fail.h"
#include "ck_jit_flight.h"
#include "ck_jit_lock.h"
#include "ck_jit_lookup.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* The key for looking up an entry's kernels; it lives as long as the entry, for ever. */
struct ckjit_entry_of {
  uint32_t blob;
  uint8_t id[CKJIT_BUILD_ID_SIZE]; /* of the entry */
  char path[];
};

/* ---- the entry without kernels ---- */

/* Each kernel of a lazy unit has its own entry anyhow, and the wanted entry is that of the whole
 * unit. */
bool ckjit_per_kernel(const struct ckjit_wanted *w) {
  return CKJIT_IS_CUDA && !ckjit_is_lazy_unit(w->blob) && !w->unlinked && ckjit_kernels_apart();
}

/* The build id differs: a process that wants all kernels finds them in the entry with the blob's
 * own id. */
void ckjit_want_apart(struct ckjit_wanted *w) {
  memcpy(w->whole, w->id, sizeof w->whole);
  ckjit_artefact_id(w->id, CKJIT_KIND_BLOB_HOST, ckjit_blobs[w->blob].key, w->archs);
  w->apart = true;
}

/* ---- one kernel ---- */

/* The entry of OF was removed since it was loaded: make it again, for its bitcode. */
static void ckjit_entry_again(const struct ckjit_entry_of *of, struct ckjit_text *missing) {
  struct ckjit_wanted w;
  if (ckjit_want(&w, of->blob, missing)) {
    ckjit_want_apart(&w);
    ckjit_fly(&w, missing);
  }
  ckjit_wanted_free(&w);
}

/* The code of KERNEL of OF, as ckjit_load_code; compiled if there is no entry. */
static const void *ckjit_kernel_code(const struct ckjit_entry_of *of, const char *kernel,
                                     bool *empty, struct ckjit_text *error) {
  struct ckjit_wanted w;
  struct ckjit_text missing = {0};
  const void *code = NULL;
  uint64_t traced = ckjit_span_start();
  ckjit_prepare_fork();
  if (ckjit_want(&w, of->blob, error) && ckjit_want_kernel(&w, of->id, of->path, kernel)) {
    code = ckjit_load_code(&w, empty, error);
    if (code)
      ckjit_count_call(&w, CKJIT_STAT_HIT, 0);
    bool again = true;
    for (int i = 0; i < CKJIT_ATTEMPTS && again && !code && !error->len; i++) {
      ckjit_text_clear(&missing);
      if (faccessat(AT_FDCWD, of->path, R_OK, AT_EACCESS))
        ckjit_entry_again(of, &missing);
      again = ckjit_fly(&w, &missing);
      code = ckjit_load_code(&w, empty, error);
    }
  }
  if (!code && !error->len)
    ckjit_add(error, ckjit_reason(&missing));
  ckjit_span_end(&w, "kernel", traced, "kernel", kernel);
  ckjit_text_free(&missing);
  ckjit_wanted_free(&w);
  return code;
}

/* The fat binary of KERNEL of the entry CONTEXT; see ck_jit_cuda_kernels.c. */
static const void *ckjit_kernel_fatbin(void *context, const char *kernel, int *all) {
  const struct ckjit_entry_of *of = context;
  int saved = errno, cancel;
  bool empty = false;
  struct ckjit_text why = {0};
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  const void *code = ckjit_kernel_code(of, kernel, &empty, &why);
  pthread_setcancelstate(cancel, NULL);
  if (!code) {
    struct ckjit_text error = {0};
    size_t n = 0;
    const char *stem = ckjit_stem_of(of->blob, &n);
    ckjit_addf(&error, "%.*s: kernel %s: %s", (int)n, stem, kernel, ckjit_reason(&why));
    ckjit_text_free(&why);
    ckjit_fail(&error);
  }
  if (empty)
    *all = 1;
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
  attach(ckjit_kernel_fatbin, of);
  return true;
}
