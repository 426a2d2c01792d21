/* ck_jit_start.h - why a program could not be started, or a file not be examined: the message names
 * the object that failed.
 *
 * posix_spawn returns one errno for all its steps. It also opens /dev/null, which becomes the
 * standard input: if that is missing, "no such file" would be said of the program. libc only, no
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

/* The meaning of ERROR, with advice if descriptors ran out. */
static inline void ckjit_error_text(char *out, size_t size, int error) {
  struct rlimit most;
  if (error == EMFILE && getrlimit(RLIMIT_NOFILE, &most) == 0)
    snprintf(out, size,
             "%s: this process may have %llu (ulimit -n; a first call needs about ten free ones)",
             strerror(error), (unsigned long long)most.rlim_cur);
  else
    snprintf(out, size, "%s", strerror(error));
}

/* Why a program was not started with /dev/null as its standard input, from ERROR of posix_spawn or
 * of a child before its execve. */
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
