/* ck_jit_start.h - why a program could not be started, or a file not be looked at: an error of the
 * environment is told with its own object.
 *
 * posix_spawn gives one errno for all that it does, and /dev/null, which becomes the standard
 * input, is opened by it: without that "no such file" would be said of the program. libc only, no
 * state, thread-safe.
 */
#ifndef CK_JIT_START_H
#define CK_JIT_START_H

#include "ck_jit_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What ERROR means, with what to do about a lack of descriptors. */
static inline void ckjit_error_text(char *out, size_t size, int error) {
  struct rlimit most;
  if (error == EMFILE && getrlimit(RLIMIT_NOFILE, &most) == 0)
    snprintf(out, size, "%s: this process may have %llu (ulimit -n; a first call needs about ten free ones)",
             strerror(error), (unsigned long long)most.rlim_cur);
  else
    snprintf(out, size, "%s", strerror(error));
}

/* Why a program was not started with /dev/null as its standard input, by ERROR of posix_spawn or of
 * what a child does before execve. */
static inline void ckjit_start_why(char *out, size_t size, int error) {
  int null = ckjit_open_kernel("/dev/null");
  if (null >= 0)
    close(null);
  if (null < 0 && errno != EMFILE && errno != ENFILE)
    snprintf(out, size, "/dev/null cannot be opened: %s: no program can be started without it",
             strerror(errno));
  else
    ckjit_error_text(out, size, error);
}

#endif
