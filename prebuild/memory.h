/* memory.h - how much memory there is for further processes, and how much some take.
 *
 * A kernel's compile takes gigabytes, and the machine has fewer gigabytes than processors: who starts one a
 * processor is killed by the kernel. Read from /proc and /sys/fs/cgroup, below the directory
 * CK_JIT_MEMORY_ROOT in tests. Thread safety: no shared state.
 */
#ifndef CKJIT_MEMORY_H
#define CKJIT_MEMORY_H

#include "core/base/base.h"

#include <sys/types.h>

/* Bytes that can be taken now without swapping: the least of the machine's MemAvailable and of what is left
 * below the limit of this process's control group and of each above it (version 1 and 2; file cache that the
 * kernel would drop counts as left). UINT64_MAX if nothing says. */
uint64_t memory_free(void);

/* how many processes the kernel has killed for want of memory, on this machine and in this control group;
 * only its growth means anything */
uint64_t memory_kills(void);

/* Resident bytes of each of N processes and of all that they have started, into BYTES; 0 for one that is not
 * there. Pages that processes share count for each. */
void memory_of(const pid_t *pids, size_t n, uint64_t *bytes);

#endif
