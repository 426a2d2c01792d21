/* human.h - sizes, times and counts as people read them: "12.3 MB", "3.2 h", "1 entry". This is the
 * only place that decides on units and plurals. Programs get whole bytes and seconds, in JSON.
 *
 * free() the strings of sizes and times. Thread-safe.
 */
#ifndef CKJIT_HUMAN_H
#define CKJIT_HUMAN_H

#include "base.h"

/* 999 B, 1.0 kB, 12.3 MB, 4.5 GB: powers of 1000, as in CK_JIT_CACHE_MAX_SIZE=2G. */
char *human_size(uint64_t bytes);
/* 0.25 s, 41.2 s, 12 min, 3.2 h, 15 days. */
char *human_seconds(double seconds);
/* The plural helper: the noun after the number N, ONE ("entry") or MANY ("entries").
 *
 *     note("%zu %s", n, noun(n, "kernel", "kernels"));
 *
 * Every count in a message uses it, except in lines that scripts parse (docs/messages.md). */
static inline const char *noun(uint64_t n, const char *one, const char *many) {
  return n == 1 ? one : many;
}

#endif
