/* ck_jit_stats.h - the counts of a cache: how often kernels were there, and what it took where they were not.
 *
 * CACHE/.stats, a line for each thing that was counted (docs/formats.md):
 *
 *     1 TAB DAY TAB LIBRARY TAB STEM TAB WHAT TAB COUNT TAB MILLISECONDS
 *
 * The runtime and ckjit-compile append lines, each with one write and without a lock; core/cache/stats.c reads them and makes
 * sums of old ones. A full disk may leave half a line, and the next one behind it: that has too many fields, and is passed over.
 *
 * libc only, no state, thread-safe.
 */
#ifndef CK_JIT_STATS_H
#define CK_JIT_STATS_H

#include "ck_jit_file.h"
#include "ck_jit_number.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CKJIT_STATS ".stats" /* in a cache directory */

enum {
  CKJIT_STATS_FORMAT = 1,
  CKJIT_STATS_LARGE = 4 << 20, /* bytes: ckjit-compile and `ckjit stats` make sums of a larger file */
  CKJIT_STATS_FULL =
      16
      << 20, /* nothing is appended to a larger file: nothing compiles here, and nobody asks for the counts */
  CKJIT_STATS_DAY = 24 * 60 * 60,
};

/* what was counted; CKJIT_STATS_NAMES has their names */
enum ckjit_stat {
  CKJIT_STAT_HIT,      /* a first call found the kernel in a cache; no time */
  CKJIT_STAT_COMPILED, /* it did not, and waited so long for a compile of its own */
  CKJIT_STAT_WAITED,   /* … for a compile of another thread or process */
  CKJIT_STAT_FAILED,   /* … for one that failed; it got an error */
  CKJIT_STAT_MADE,     /* ckjit-compile made an entry, for whomever; processor time */
  CKJIT_STAT_UNMADE,   /* … ran a compiler, and made none; processor time */
  CKJIT_STAT_SAVED,    /* of sums: the hits of kernels whose compile time was known, and that time */
  CKJIT_STATS_KINDS
};
#define CKJIT_STATS_NAMES                                                                                    \
  { "hit", "compiled", "waited", "failed", "made", "unmade", "saved" }

/* Append N bytes of whole lines to the counts of the cache DIR. *SIZE (may be NULL) is that of the file then. 0, or an errno:
 * EINVAL: it is no regular file; EFBIG: it is full; EBADF: a standard stream is closed, so that what is opened could become one, and the
 * host's words could go there. */
static inline int ckjit_stats_append(const char *dir, const char *text, size_t n, uint64_t *size) {
  char path[4096];
  struct stat st;
  if (snprintf(path, sizeof path, "%s/" CKJIT_STATS, dir) >= (int)sizeof path)
    return ENAMETOOLONG;
  for (int stream = 0; stream < 3; stream++)
    if (fcntl(stream, F_GETFD) < 0)
      return EBADF;
  int fd = ckjit_open_cached(path, O_WRONLY | O_APPEND | O_CREAT, 0600, CKJIT_STATS_FULL, &st);
  if (fd < 0)
    return errno;
  int error = ckjit_append_file(fd, st.st_size, text, n);
  if (!error && size)
    *size = (uint64_t)st.st_size + n;
  close(fd);
  return error;
}

#endif
