#include "late.h"
#include "compile/parts.h"
#include "compile/plan.h"
#include "compile/seen.h"
#include "core/base/env.h"

/* A launcher gives the object of the plain command. Kernels that are linked with device code of
 * others are linked together. */
static bool is_eligible(const struct compile_task *t) {
  const char *set = env_get("CK_JIT_PER_KERNEL");
  return t->per_kernel && t->kind->kernels_apart && !t->launcher.n && !parts_are_needed(t) &&
         !(set && !ckjit_is_on(set));
}

bool late_make(const struct compile_task *t, const char *temporary, const char *output) {
  const char *why = "";
  if (!is_eligible(t))
    return false;
  seen_again(t);
  bool done = t->kind->runtime == RUNTIME_CUDA ? late_cuda_make(t, temporary, output, &why)
                                               : late_hip_make(t, temporary, output, &why);
  if (t->verbose)
    note("%s: %s%s", t->stem,
         done ? "its kernels are compiled when they are launched" : "compiled whole: ", done ? "" : why);
  return done;
}
