/* ck_jit_stats.h - the counts of a cache: how often kernels were found, and what misses cost.
 *
 * CACHE/.stats is a journal with a line for each counted event (docs/formats.md):
 *
 *     1 TAB DAY TAB LIBRARY TAB STEM TAB WHAT TAB COUNT TAB MILLISECONDS
 *
 * The runtime and ckjit-compile append lines; core/cache/stats.c reads them and sums up old ones.
 *
 * libc only, no state, thread-safe.
 */
#ifndef CK_JIT_STATS_H
#define CK_JIT_STATS_H

#include "ck_jit_journal.h"

#include <stdio.h>

#define CKJIT_STATS ".stats" /* in a cache directory */

enum {
  CKJIT_STATS_FORMAT = 1,
  /* Bytes: ckjit-compile and `ckjit stats` sum up a larger file. */
  CKJIT_STATS_LARGE = 4 << 20,
  /* Nothing is appended to a larger file: nothing compiles here, and nobody asks for the counts. */
  CKJIT_STATS_FULL = 16 << 20,
  CKJIT_STATS_DAY = 24 * 60 * 60,
};

/* the counted events; CKJIT_STATS_NAMES has their names */
enum ckjit_stat {
  /* A first call found the kernel in a cache; no time. */
  CKJIT_STAT_HIT,
  /* A first call compiled the kernel, and waited for that. */
  CKJIT_STAT_COMPILED,
  /* A first call waited for a compile of another thread or process. */
  CKJIT_STAT_WAITED,
  /* A first call waited for a compile that failed, and got an error. */
  CKJIT_STAT_FAILED,
  /* ckjit-compile made an entry, for any reason; processor time. */
  CKJIT_STAT_MADE,
  /* ckjit-compile ran a compiler but made no entry; processor time. */
  CKJIT_STAT_UNMADE,
  /* In sums only: hits of kernels with a known compile time, and that time. */
  CKJIT_STAT_SAVED,
  CKJIT_STATS_KINDS
};
#define CKJIT_STATS_NAMES                                                                          \
  { "hit", "compiled", "waited", "failed", "made", "unmade", "saved" }

/* Append N bytes of whole lines to the counts of the cache DIR. *SIZE (may be NULL) becomes the
 * size of the file. 0, or an errno as of ckjit_journal_append; EBADF: a standard stream is closed,
 * so the opened file could take its place and receive the host's output. */
static inline int ckjit_stats_append(const char *dir, const char *text, size_t n, uint64_t *size) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/" CKJIT_STATS, dir) >= (int)sizeof path)
    return ENAMETOOLONG;
  for (int stream = 0; stream < 3; stream++)
    if (fcntl(stream, F_GETFD) < 0)
      return EBADF;
  return ckjit_journal_append(path, CKJIT_STATS_FULL, text, n, size);
}

#endif
