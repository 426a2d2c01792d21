/* memory.h - how much memory is free for more processes, and how much given processes use.
 *
 * A kernel's compile takes gigabytes, and most machines have too few for one compile per processor:
 * they would be killed. The figures come from /proc and /sys/fs/cgroup; tests put their own tree
 * below CK_JIT_MEMORY_ROOT. Thread safety: no shared state.
 */
#ifndef CKJIT_MEMORY_H
#define CKJIT_MEMORY_H

#include "core/base/base.h"

#include <sys/types.h>

/* Bytes that can be allocated now without swapping: the smallest of the machine's MemAvailable and
 * the rest below the limits of this process's control group and its ancestors (versions 1 and 2;
 * file cache that the kernel would drop counts as free). UINT64_MAX if nothing is known. */
uint64_t memory_free(void);

/* The smallest limit of this process's control group and its ancestors; UINT64_MAX: none. */
uint64_t memory_limit(void);

/* Bytes of files that this machine has in memory and not yet on a disk. UINT64_MAX if nothing is
 * known. */
uint64_t memory_dirty(void);

/* How many processes the OOM killer has ended on this machine and in this control group. Only
 * differences of this number are meaningful. */
uint64_t memory_kills(void);

/* Write to BYTES the resident bytes of each of N processes and all its descendants; 0 for one that
 * has ended. Shared pages count once for every process. */
void memory_of(const pid_t *pids, size_t n, uint64_t *bytes);

#endif
