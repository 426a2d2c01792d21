/* ck_jit_settings.c - the environment variables that steer the runtime. */
#include "ck_jit_settings.h"
#include "ck_jit_protocol.h"

#include <stdlib.h>
#include <string.h>

const char *ckjit_env(const char *name) {
  const char *s = secure_getenv(name);
  return s && *s ? s : NULL;
}

bool ckjit_memory_off(void) {
  return ckjit_is_on(ckjit_env("CK_JIT_DISABLE_MEMORY_CACHING"));
}

size_t ckjit_memory_max(const char **bad) {
  const char *text = ckjit_env("CK_JIT_MEMORY_CACHE_MAX");
  size_t n = 0;
  for (const char *s = text; s && *s; s++) {
    if (*s < '0' || *s > '9' || __builtin_mul_overflow(n, 10, &n) ||
        __builtin_add_overflow(n, (size_t)(*s - '0'), &n)) {
      if (bad)
        *bad = text;
      return 0;
    }
  }
  return n;
}

bool ckjit_file_off(void) {
  return ckjit_is_on(ckjit_env("CK_JIT_DISABLE_FILE_CACHING"));
}

/* These two as the programs read them (env_flag): only 0 is off. */
bool ckjit_kernels_apart(void) {
  const char *set = ckjit_env("CK_JIT_PER_KERNEL");
  return !set || strcmp(set, "0") != 0;
}

bool ckjit_verbose(void) {
  const char *set = ckjit_env("CK_JIT_VERBOSE");
  return set && strcmp(set, "0") != 0;
}
