/* ck_jit_count.h - counts first calls, for `ckjit stats` (ck_jit_stats.h).
 *
 * Thread-safe, without a lock. Changes errno.
 */
#ifndef CK_JIT_COUNT_H
#define CK_JIT_COUNT_H

#include "ck_jit_stats.h"
#include "ck_jit_wanted.h"

/* Count WHAT for W, which took MICROSECONDS; nothing if there is no cache or CK_JIT_STATS is off.
 * Call it after ckjit_prepare_fork. */
CKJIT_LOCAL void ckjit_count_call(const struct ckjit_wanted *w, enum ckjit_stat what,
                                  uint64_t microseconds);
/* In the child of a fork: the parent writes the notes from before the fork. */
CKJIT_LOCAL void ckjit_counts_forget(void);

#endif
