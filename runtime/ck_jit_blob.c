/* ck_jit_blob.c - gets a blob from the table or the cache, or compiles it; and its functions. */
#include "ck_jit_blob.h"
#include "ck_jit_ahead.h"
#include "ck_jit_alone.h"
#include "ck_jit_count.h"
#include "ck_jit_flight.h"
#include "ck_jit_lock.h"
#include "ck_jit_lookup.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"
#include "ck_jit_symbols.h"
#include "ck_jit_table.h"

#include <dlfcn.h>
#include <link.h>

/* Load W, of a blob, after compiling it if there is no entry, for a call of function F, or for no
 * call if F is ckjit_facts.functions. NULL and the reason in ERROR.
 *
 * The content of the cache decides: another process may have compiled the entry while this compile
 * failed, and it may be unknown how this compile ended. An entry that was made and has gone again
 * (a cleaned cache) is made again, but not for ever. */
static void *ckjit_obtain(struct ckjit_wanted *w, uint32_t f, struct ckjit_text *error) {
  struct ckjit_text missing = {0};
  void *handle = ckjit_load_entry(w, error);
  if (!handle && !error->len && ckjit_per_kernel(w)) {
    ckjit_want_apart(w);
    handle = ckjit_load_entry(w, error);
  }
  if (f < ckjit_facts.functions)
    ckjit_want_function(w, f);
  if (!handle && !error->len)
    handle = ckjit_alone_load(w, f);
  if (handle) {
    ckjit_count_call(w, CKJIT_STAT_HIT, 0);
    ckjit_record_call(w);
  } else if (!error->len) {
    ckjit_want_own_file(w);
  }
  bool again = true;
  for (int i = 0; i < CKJIT_ATTEMPTS && again && !handle && !error->len; i++) {
    ckjit_text_clear(&missing);
    again = ckjit_fly(w, &missing);
    handle = ckjit_loaded(w->blob);
    if (!handle)
      handle = ckjit_load_entry(w, error);
    if (w->unlinked) {
      ckjit_arrive(w->blob);
      ckjit_wanted_close(w);
    }
    if (!handle && !error->len && again)
      handle = ckjit_alone_load(w, f);
    w->function = 0; /* its entry came, and has gone or cannot be loaded: now get the whole blob */
  }
  if (!handle && !error->len)
    ckjit_add(error, ckjit_reason(&missing));
  ckjit_text_free(&missing);
  return handle;
}

void *ckjit_handle(uint32_t blob, uint32_t f, struct ckjit_text *error) {
  struct ckjit_wanted w;
  void *handle = ckjit_loaded(blob);
  if (handle || (f < ckjit_facts.functions && (handle = ckjit_alone_loaded(f))))
    return handle;
  uint64_t traced = ckjit_span_start();
  ckjit_prepare_fork();
  if (ckjit_want_anyhow(&w, blob, error))
    handle = ckjit_obtain(&w, f, error);
  ckjit_span_end(&w, "first call", traced, "status", handle ? "0" : "failed");
  ckjit_wanted_free(&w);
  return handle;
}

CKJIT_READS_LINKER void *ckjit_address(uint32_t f, void *handle, struct ckjit_text *error) {
  const struct ckjit_function *function = &ckjit_functions[f];
  size_t functions;
  const char *name = ckjit_function_name(handle, function->hash, &functions);
  void *address = name ? dlsym(handle, name) : NULL;
  if (address)
    return address;
  struct link_map *map = NULL;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  ckjit_addf(error,
             "the compiled blob %s does not define the function whose mangled name has the FNV-1a "
             "hash %016llx "
             "among its %zu functions\n"
             "its source and the library come from different builds, or it was compiled with "
             "-fvisibility=hidden",
             map ? map->l_name : "", (unsigned long long)function->hash, functions);
  return NULL;
}
