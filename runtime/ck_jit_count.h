/* ck_jit_count.h - first calls are counted, for `ckjit stats` (ck_jit_stats.h).
 *
 * Thread-safe, without a lock. errno is changed.
 */
#ifndef CK_JIT_COUNT_H
#define CK_JIT_COUNT_H

#include "ck_jit_stats.h"
#include "ck_jit_wanted.h"

/* Count WHAT of W, which took so many MICROSECONDS; nothing if there is no cache or CK_JIT_STATS is off. Behind
 * ckjit_prepare_fork. */
CKJIT_LOCAL void ckjit_count_call(const struct ckjit_wanted *w, enum ckjit_stat what, uint64_t microseconds);
/* In the child of a fork: what is not written yet is its parent's to write. */
CKJIT_LOCAL void ckjit_counts_forget(void);

#endif
