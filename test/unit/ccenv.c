/* ccenv.c - the environment of a compile (core/cc/ccenv.c) has only those of the job's variables that
 * the table lets through. Of a launcher's it lacks those that choose a compiler or weaken its hash. */
// tier: check
#include "core/cc/ccenv.h"
#include "check.h"

#include <stdlib.h>

int main(void) {
  static const struct {
    const char *variable;
    bool passes;
  } job[] = {
      {"HOME=/job", true},
      {"CCACHE_DIR=/job/cache", true},
      {"SCCACHE_REDIS=tcp://store", true},
      {"https_proxy=http://proxy", true},
      {"CCACHE_CC=/job/cc", false},
      {"CCACHE_COMPILER=/job/cc", false},
      {"CCACHE_PREFIX=/job/distcc", false},
      {"CCACHE_SLOPPINESS=time_macros", false},
      {"ICECC_VERSION=/job/toolchain.tar.gz", false},
      {"CPATH=/job/include", false},
      {"LIBRARY_PATH=/job/lib", false},
      {"HIPCC_COMPILE_FLAGS_APPEND=-DJOB", false},
      {"NVCC_APPEND_FLAGS=-DJOB", false},
      {"CCC_OVERRIDE_OPTIONS=+-DJOB", false},
      {"LD_PRELOAD_OF_JOB=/job/lib.so", false},
      {"PATH=/job/bin", false},
  };
  enum { N = sizeof job / sizeof *job };
  struct argv toolchain = {0}, env = {0};
  for (size_t i = 0; i < N; i++)
    putenv((char *)job[i].variable);
  argv_add(&toolchain, "PATH=/build/bin");
  ccenv_make(&env, &toolchain, "/made");
  for (size_t i = 0; i < N; i++)
    CHECK(argv_has(&env, job[i].variable) == job[i].passes, "%s", job[i].variable);
  CHECK(argv_has(&env, "PATH=/build/bin"), "the build's PATH");
  CHECK(argv_has(&env, "TMPDIR=/made"), "the directory of this compile");
  argv_free(&toolchain);
  argv_free(&env);
  return bad;
}
