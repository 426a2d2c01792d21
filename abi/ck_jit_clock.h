/* ck_jit_clock.h - the clock by which ckjit measures. libc only, no state, thread-safe. */
#ifndef CK_JIT_CLOCK_H
#define CK_JIT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Microseconds of a clock that all processes of a machine share and nobody sets. */
static inline uint64_t ckjit_microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* the same in seconds */
static inline double ckjit_seconds(void) {
  return (double)ckjit_microseconds() / 1e6;
}

#endif
