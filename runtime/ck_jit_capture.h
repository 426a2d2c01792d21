/* ck_jit_capture.h - CK_JIT_CAPTURE=FILE: lists the kernels that this job used, to link them ahead
 * of time.
 *
 * While calls are counted no slot is filled: each call enters ckjit_resolve, which takes 0.17 us
 * instead of 2 ns. Kernels are loaded as always. The counts are added to the file
 * (ck_jit_capture_file.h) at the first call of a kernel, then with later calls, at most once a
 * second, and at exit. If the file cannot be written, there is one warning, and no call fails.
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
/* Function F of BLOB is called at ADDRESS. */
CKJIT_LOCAL void ckjit_capture_call(uint32_t f, uint32_t blob, void *address);
/* This process compiled BLOB, or KERNEL of it, a lazy unit, in SECONDS. */
CKJIT_LOCAL void ckjit_capture_compiled(uint32_t blob, const char *kernel, double seconds);
#if CKJIT_LAZY
/* KERNEL of the lazy unit UNIT is launched; the name must stay valid. *OF is NULL at first, and
 * saves the search later. */
CKJIT_LOCAL void ckjit_capture_launch(void **of, uint32_t unit, const char *kernel);
#endif

/* For a fork, which waits for the mutex. The child forgets the counts, which the parent writes. */
CKJIT_LOCAL void ckjit_capture_lock(void);
CKJIT_LOCAL void ckjit_capture_unlock(void);
CKJIT_LOCAL void ckjit_capture_forget(void);

#endif
