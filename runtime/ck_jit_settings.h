/* ck_jit_settings.h - the environment variables that control the runtime.
 *
 * They are read when they are needed and not when the library is loaded: the runtime does nothing
 * at load, and a program may set them before its first call of a kernel. In a set-user-ID process
 * they are an attacker's and count as unset. Variables that name a place are in ck_jit_place.h,
 * CK_JIT_ARCH in ck_jit_arch.h, CK_JIT_TRACE in ck_jit_trace.h; docs/environment.md has them all.
 *
 * As thread-safe as getenv.
 */
#ifndef CK_JIT_SETTINGS_H
#define CK_JIT_SETTINGS_H

#include "ck_jit_text.h"

/* The variable's value, NULL if it is unset or empty. */
CKJIT_LOCAL const char *ckjit_env(const char *name);

/* CK_JIT_DISABLE_MEMORY_CACHING: nothing enters the in-process table. */
CKJIT_LOCAL bool ckjit_memory_off(void);
/* CK_JIT_MEMORY_CACHE_MAX: how many blobs the table may hold; 0: all. A value that is not a number
 * counts as 0, and *BAD, unless BAD is NULL, becomes that value. */
CKJIT_LOCAL size_t ckjit_memory_max(const char **bad);
/* CK_JIT_DISABLE_FILE_CACHING: no cache directory is read or written. */
CKJIT_LOCAL bool ckjit_file_off(void);
/* CK_JIT_PER_KERNEL: CUDA kernels are compiled one by one, and host-only HIP functions without
 * kernels. */
CKJIT_LOCAL bool ckjit_kernels_apart(void);
/* CK_JIT_ON_MISS=error: nothing is compiled. Any other value but compile causes one warning, and
 * counts as compile. */
CKJIT_LOCAL bool ckjit_never_compiles(void);
/* CK_JIT_WARM: are kernels compiled ahead of their calls, and even after this process has ended? */
enum ckjit_warm { CKJIT_WARM_NOT, CKJIT_WARM_BESIDE, CKJIT_WARM_DETACHED };
CKJIT_LOCAL enum ckjit_warm ckjit_warms(void);
/* CK_JIT_UNIT_KERNELS: how many kernels of a lazy unit a process compiles before it compiles the
 * whole unit; 0: it never does. */
CKJIT_LOCAL size_t ckjit_unit_kernels(void);
/* Whether a call that waits for a compile prints a message: after *AFTER microseconds, then every
 * *EVERY (0: once); CK_JIT_SAY_AFTER. False: CK_JIT_QUIET. */
CKJIT_LOCAL bool ckjit_says_waiting(uint64_t *after, uint64_t *every);
/* CK_JIT_STATS=0: first calls are not counted. */
CKJIT_LOCAL bool ckjit_stats_off(void);
/* CK_JIT_VERBOSE: a message for each blob that is compiled or loaded. */
CKJIT_LOCAL bool ckjit_verbose(void);

#endif
