/* ck_jit_resolve.c - the first call of a function: what ckjit_trampoline calls (ck_jit_abi.h). */
#include "ck_jit_blob.h"
#include "ck_jit_capture.h"
#include "ck_jit_fail.h"
#include "ck_jit_lock.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"
#include "ck_jit_table.h"

#include <errno.h>
#include <pthread.h>

/* The address of function F, number INDEX of UNIT, whose slot is filled if calls are not counted. NULL and
 * why in WHY. */
static void *ckjit_resolve_function(uint32_t f, void **slots, uint32_t unit, uint32_t index,
                                    struct ckjit_text *why) {
  uint32_t blob = ckjit_functions[f].blob;
  bool counted = ckjit_capturing();
  void *address = counted && !ckjit_memory_off() ? ckjit_capture_known(f) : NULL;
  if (!address) {
    ckjit_check_on_error();
    void *handle = ckjit_handle(blob, f, why);
    address = handle ? ckjit_address(f, handle, why) : NULL;
    if (address && !counted)
      ckjit_fill(slots, unit, index, handle, address);
  }
  if (address && counted) {
    ckjit_prepare_fork();
    ckjit_capture_call(f, blob, address);
  }
  return address;
}

__attribute__((used)) void *ckjit_resolve(void **slots, uint64_t unit, uint64_t index) {
  int saved = errno, cancel;
  struct ckjit_text why = {0};
  void *address = NULL;
  uint64_t f = unit < CKJIT_UNITS ? ckjit_unit_first[unit] + index : CKJIT_FUNCTIONS;
  bool known = f < CKJIT_FUNCTIONS && f < ckjit_unit_first[unit + 1];
  /* A thread cancelled in here would leave its flight up for ever. */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  if (known)
    address = ckjit_resolve_function((uint32_t)f, slots, (uint32_t)unit, (uint32_t)index, &why);
  else
    ckjit_add(&why, "a stub and the embedded manifest are not of one build");
  pthread_setcancelstate(cancel, NULL);
  if (!address) {
    struct ckjit_text error = {0};
    size_t n = 0;
    const char *stem = known ? ckjit_stem_of(ckjit_functions[f].blob, &n) : "";
    ckjit_addf(&error, "%.*s: %s", (int)n, stem, ckjit_reason(&why));
    ckjit_text_free(&why);
    ckjit_fail(&error);
  }
  ckjit_text_free(&why);
  errno = saved;
  return address;
}
