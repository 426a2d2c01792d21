/* lastlook.h - when the whole of a cache was looked at last, and how much was in it.
 *
 * To look at 200,000 names takes a third of a second, and longer than that if there is a limit. So ckjit-compile does it after each compile
 * only in a small cache; in one of N names, N of at least 1024, once in N/1000 seconds, ten minutes at most. In between what compiles add is added to the sum, so that
 * a limit is seen to be passed. The sum decides when to look, and nothing else: what is removed is decided by the files. If it is wrong, because
 * of an earlier version of ckjit, a copy, or two processes at once, a look comes up to N/1000 seconds too late, or too early.
 *
 * It is <cache>/.locks/lastlook: a line "ckjit-lastlook 1 TIME NAMES COUNTED BYTES ENTRIES", and for each entry placed since a line with its
 * bytes. A file that is not so is none, and then all is looked at. Thread safety: none. Between processes: everything may happen at once.
 */
#ifndef CKJIT_LASTLOOK_H
#define CKJIT_LASTLOOK_H

#include "core/base/base.h"

/* what counts in a cache (cachedir_list) */
struct cachedir_sum {
  bool counted; /* there was a limit to count for */
  uint64_t bytes, entries;
};

/* What there was at the last look at the cache DIR, with what was added since. False, and zeros: it is time for another look. */
bool lastlook_read(struct cachedir_sum *sum, const char *dir);
bool lastlook_is_due(const char *dir);
/* An entry of BYTES was placed. */
void lastlook_add(const char *dir, uint64_t bytes);
/* All of it was looked at, NAMES, and there is SUM. On failure it is looked at again next time. */
void lastlook_write(const char *dir, size_t names, const struct cachedir_sum *sum);
/* Much was added or removed: the next compile looks at all of it. */
void lastlook_forget(const char *dir);

#endif
