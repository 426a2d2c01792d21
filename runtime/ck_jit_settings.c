/* ck_jit_settings.c - the environment variables that control the runtime. */
#include "ck_jit_settings.h"
#include "ck_jit_number.h"
#include "ck_jit_protocol.h"
#include "ck_jit_say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *ckjit_env(const char *name) {
  const char *s = secure_getenv(name);
  return s && *s ? s : NULL;
}

bool ckjit_memory_off(void) {
  return ckjit_is_on(ckjit_env("CK_JIT_DISABLE_MEMORY_CACHING"));
}

size_t ckjit_memory_max(const char **bad) {
  const char *text = ckjit_env("CK_JIT_MEMORY_CACHE_MAX");
  uint64_t n = 0;
  if (text && !ckjit_number(text, strlen(text), &n) && bad)
    *bad = text;
  return (size_t)n;
}

bool ckjit_file_off(void) {
  return ckjit_is_on(ckjit_env("CK_JIT_DISABLE_FILE_CACHING"));
}

bool ckjit_kernels_apart(void) {
  const char *set = ckjit_env("CK_JIT_PER_KERNEL");
  return !set || ckjit_is_on(set);
}

bool ckjit_never_compiles(void) {
  static int said;
  const char *set = ckjit_env("CK_JIT_ON_MISS");
  bool never = ckjit_miss_is_error(set);
  if (set && !never && strcmp(set, "compile") != 0)
    ckjit_warn_once(&said, "CK_JIT_ON_MISS: expected compile or error, found '%s'; using compile",
                    set);
  return never;
}

enum ckjit_warm ckjit_warms(void) {
  const char *set = ckjit_env("CK_JIT_WARM");
  if (set && strcmp(set, "detach") == 0)
    return CKJIT_WARM_DETACHED;
  return !set || ckjit_is_on(set) ? CKJIT_WARM_BESIDE : CKJIT_WARM_NOT;
}

/* For f32 and bf16 instances of ComposableKernel, this many kernels cost as much as their whole
 * unit; for f16 it is 30. */
enum { CKJIT_UNIT_KERNELS = 8 };

size_t ckjit_unit_kernels(void) {
  const char *set = ckjit_env("CK_JIT_UNIT_KERNELS");
  uint64_t n = 0;
  return set && ckjit_number(set, strlen(set), &n) ? (size_t)n : CKJIT_UNIT_KERNELS;
}

bool ckjit_says_waiting(uint64_t *after, uint64_t *every) {
  static int said;
  const char *set = ckjit_env("CK_JIT_SAY_AFTER"), *colon = set ? strchr(set, ':') : NULL;
  *after = 5000000;
  *every = 30000000;
  if (set && (!ckjit_number_seconds(set, colon ? (size_t)(colon - set) : strlen(set), after) ||
              (colon && !ckjit_number_seconds(colon + 1, strlen(colon + 1), every)))) {
    ckjit_warn_once(&said,
                    "CK_JIT_SAY_AFTER: expected SECONDS or SECONDS:SECONDS, found '%s'; using 5:30",
                    set);
    *after = 5000000;
    *every = 30000000;
  }
  return !ckjit_is_on(ckjit_env("CK_JIT_QUIET"));
}

bool ckjit_stats_off(void) {
  const char *set = ckjit_env("CK_JIT_STATS");
  return set && !ckjit_is_on(set);
}

bool ckjit_verbose(void) {
  return ckjit_is_on(ckjit_env("CK_JIT_VERBOSE"));
}
