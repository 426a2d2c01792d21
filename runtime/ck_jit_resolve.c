/* ck_jit_resolve.c - the first call of a function, from ckjit_trampoline (ck_jit_abi.h). */
#include "ck_jit_blob.h"
#include "ck_jit_capture.h"
#include "ck_jit_fail.h"
#include "ck_jit_lock.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"
#include "ck_jit_stack.h"
#include "ck_jit_table.h"

#include <errno.h>
#include <pthread.h>

/* The address of function F, number INDEX of UNIT; fills its slot unless calls are counted. NULL
 * and the reason in WHY. */
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

/* a call of a stub */
struct ckjit_resolving {
  void **slots;
  uint32_t unit, index, f;
  struct ckjit_text why;
  void *address;
};

static void ckjit_resolve_it(void *resolving) {
  struct ckjit_resolving *r = resolving;
  int saved = errno, cancel;
  /* A thread that is cancelled in here would leave its flight in the list for ever. */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  r->address = ckjit_resolve_function(r->f, r->slots, r->unit, r->index, &r->why);
  pthread_setcancelstate(cancel, NULL);
  if (r->address)
    ckjit_text_free(&r->why);
  errno = saved;
}

static _Noreturn void ckjit_resolve_failed(const struct ckjit_resolving *r, bool known) {
  struct ckjit_text error = {0}, why = r->why;
  size_t n = 0;
  const char *stem = known ? ckjit_stem_of(ckjit_functions[r->f].blob, &n) : "";
  ckjit_addf(&error, "%.*s: %s", (int)n, stem, ckjit_reason(&why));
  ckjit_text_free(&why);
  ckjit_fail(&error);
}

__attribute__((used)) void *ckjit_resolve(void **slots, uint64_t unit, uint64_t index) {
  uint64_t f = unit < ckjit_facts.units ? ckjit_unit_first[unit] + index : ckjit_facts.functions;
  bool known = f < ckjit_facts.functions && f < ckjit_unit_first[unit + 1];
  struct ckjit_resolving r = {
      .slots = slots, .unit = (uint32_t)unit, .index = (uint32_t)index, .f = (uint32_t)f};
  if (known)
    ckjit_with_stack(ckjit_resolve_it, &r, &r.why);
  else
    ckjit_add(&r.why, "a stub and the embedded manifest come from different builds");
  if (!r.address)
    ckjit_resolve_failed(&r, known);
  return r.address;
}
