/* stats.h - the counts of a cache (abi/ck_jit_stats.h): adding to them, and their sums.
 *
 * Thread safety: no shared state. Between processes: any number may append to, read, shorten and
 * empty the counts of a cache.
 */
#ifndef CKJIT_STATS_SUMS_H
#define CKJIT_STATS_SUMS_H

#include "core/base/base.h"
#include "abi/ck_jit_stats.h"

/* by enum ckjit_stat */
struct stats_sum {
  uint64_t n[CKJIT_STATS_KINDS], ms[CKJIT_STATS_KINDS];
};

struct stats_row {
  /* since 1970-01-01, in UTC; of kernels 0 */
  uint32_t day;
  const char *library; /* its base name; "": unknown */
  const char *stem;    /* of days "" */
  struct stats_sum sum;
};

struct stats_rows {
  struct stats_row *list;
  size_t n;
};

/* Free with stats_free, in any case. */
struct stats {
  /* sorted by stem and library, and by day and library; each pair once */
  struct stats_rows kernels, days;
  size_t bad;     /* damaged lines, which were skipped */
  uint64_t bytes; /* of the file */
  char *text;     /* the rows point into it */
};

/* Read the counts of the cache DIR; none if there are none. A hit saves the time of the last
 * compile, if that is known. */
bool stats_read(struct stats *s, const char *dir, char **err);
void stats_free(struct stats *s);
/* Add the counts of B to A. */
void stats_add(struct stats_sum *a, const struct stats_sum *b);

/* Count in the cache DIR that STEM of LIBRARY (NULL: unknown) took SECONDS of CPU time, and whether
 * an entry was MADE. Does nothing with CK_JIT_STATS=0. Failures are ignored. */
void stats_record(const char *dir, const char *library, const char *stem, bool made,
                  double seconds);
/* Sum up the lines in DIR if there are too many. Failures are ignored. */
void stats_shorten(const char *dir, uint64_t bytes);
/* The compiles, failed ones included, from DAY on. */
uint64_t stats_compiles(const struct stats *s, uint32_t day);
/* When `ready` last found nothing missing, in seconds since 1970, and the compiles before that. */
struct stats_ready {
  uint64_t time, compiles;
};
#define STATS_READY ".ready" /* in a cache directory */
/* It has found nothing missing now. Failures are ignored. */
void stats_put_ready(const char *dir);
/* False: it never has. */
bool stats_get_ready(const char *dir, struct stats_ready *ready);
/* Set all counts of DIR to zero. Counts of this moment may come before or after it. */
bool stats_zero(const char *dir, char **err);

#endif
