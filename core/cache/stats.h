/* stats.h - the counts of a cache (abi/ck_jit_stats.h): what compiles add, and the sums.
 *
 * Thread safety: no shared state. Between processes: any number may append to, read, shorten and empty the counts of a cache.
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
  uint32_t day;        /* since 1970-01-01, in UTC; of kernels 0 */
  const char *library; /* its base name; "": not known */
  const char *stem;    /* of days "" */
  struct stats_sum sum;
};

struct stats_rows {
  struct stats_row *list;
  size_t n;
};

/* Free with stats_free, in any case. */
struct stats {
  struct stats_rows kernels, days; /* sorted by stem and library; by day and library; each pair once */
  size_t bad;                      /* lines that are none, which were passed over */
  uint64_t bytes;                  /* of the file */
  char *text;                      /* what the rows point into */
};

/* Read the counts of the cache DIR; none if there are none. A hit saves what the compile took the last time, if that is known. */
bool stats_read(struct stats *s, const char *dir, char **err);
void stats_free(struct stats *s);
/* Add what B counted to A. */
void stats_add(struct stats_sum *a, const struct stats_sum *b);

/* Count in the cache DIR that so many seconds of processors were spent for STEM of LIBRARY (NULL: not known); whether an entry was
 * MADE. Not with CK_JIT_STATS=0. Failures are ignored. */
void stats_record(const char *dir, const char *library, const char *stem, bool made, double seconds);
/* Make sums of the lines in DIR if there are too many. Failures are ignored. */
void stats_shorten(const char *dir, uint64_t bytes);
/* Let all counts of DIR be zero. What a process counts at this moment may count before or after it. */
bool stats_zero(const char *dir, char **err);

#endif
