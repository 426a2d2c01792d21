/* lastlook.h - when a whole cache was listed last, and its size then.
 *
 * Listing 200,000 names takes a third of a second, and longer with a limit. So ckjit-compile does
 * it after each compile only in a small cache. In one of N names, N at least 1024, it does it once
 * in N/1000 seconds, ten minutes at most. In between, compiles add their entries to the sum, so
 * that exceeding a limit is noticed. The sum only decides when to list; the files decide what is
 * removed. If the sum is wrong, because of an earlier version of ckjit, a copy, or two processes at
 * once, a listing comes up to N/1000 seconds too late or too early.
 *
 * The file is <cache>/.locks/lastlook, a memo (memofile.h): "TIME NAMES COUNTED BYTES ENTRIES". Any
 * other content counts as no file, and the cache is listed. Thread safety: none. Between processes:
 * everything may happen at once; of two that add at the same moment one may count.
 */
#ifndef CKJIT_LASTLOOK_H
#define CKJIT_LASTLOOK_H

#include "core/base/base.h"

/* the size of a cache, by the items of cachedir_list */
struct cachedir_sum {
  bool counted; /* there was a limit to count for */
  uint64_t bytes, entries;
};

/* The size of the cache DIR at its last listing, plus entries added since. False, and zeros: it is
 * time to list it again. */
bool lastlook_read(struct cachedir_sum *sum, const char *dir);
bool lastlook_is_due(const char *dir);
/* An entry of BYTES was placed. */
void lastlook_add(const char *dir, uint64_t bytes);
/* The cache was listed: it has NAMES, and size SUM. On failure it is listed again next time. */
void lastlook_write(const char *dir, size_t names, const struct cachedir_sum *sum);
/* Much was added or removed: the next compile lists the cache. */
void lastlook_forget(const char *dir);

#endif
