/* ck_jit_capture.h - CK_JIT_CAPTURE=FILE: which kernels this job used, to link them ahead of time.
 *
 * While calls are counted no slot is filled: each call comes to ckjit_resolve, 0.17 us instead of 2 ns. Kernels
 * are loaded as always. What was counted is added to the file (ck_jit_capture_file.h) at the first call of a
 * kernel, then with later calls, at most once a second, and at exit. A file that cannot be written is warned of
 * once, and no call fails because of it.
 *
 * Thread-safe.
 */
#ifndef CK_JIT_CAPTURE_H
#define CK_JIT_CAPTURE_H

#include "ck_jit_abi.h"
#include "ck_jit_manifest.h"

#include <stdbool.h>

/* Whether calls are counted, so that no slot may be filled. */
CKJIT_LOCAL bool ckjit_capturing(void);
/* The address of function F if it was captured before, else NULL. */
CKJIT_LOCAL void *ckjit_capture_known(uint32_t f);
/* Function F of BLOB is called, and ADDRESS is where it is. */
CKJIT_LOCAL void ckjit_capture_call(uint32_t f, uint32_t blob, void *address);
/* This process compiled BLOB in SECONDS, or KERNEL of it, a lazy unit. */
CKJIT_LOCAL void ckjit_capture_compiled(uint32_t blob, const char *kernel, double seconds);
#if CKJIT_LAZY_UNITS
/* KERNEL of the lazy unit UNIT, a name that stays, is launched. *OF is NULL before the first time, and saves the search from then on. */
CKJIT_LOCAL void ckjit_capture_launch(void **of, uint32_t unit, const char *kernel);
#endif

/* For a fork, which waits for the mutex. The child forgets: the parent writes what it counted itself. */
CKJIT_LOCAL void ckjit_capture_lock(void);
CKJIT_LOCAL void ckjit_capture_unlock(void);
CKJIT_LOCAL void ckjit_capture_forget(void);

#endif
