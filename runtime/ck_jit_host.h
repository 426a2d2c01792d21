/* ck_jit_host.h - the host's side of a HIP blob, whose code object comes when it is needed (compile/hostonly/entry.h).
 *
 * A first call looks for the blob as a whole. If it is not there, its host's side may be, or may be all that the call waits for: the blob's
 * host code, with all functions and all state, and a shim in place of HIP's registrations (ck_jit_hip_side.c). It is the blob in this
 * process then, and the host code of the whole entry is never loaded beside it. The first launch, or whatever else of HIP's the host
 * code calls, asks here for the code object: it is mapped out of the whole entry, which is found, waited for or compiled as ever.
 *
 * That is with CK_JIT_PER_KERNEL=1. By default it is only done for functions that launch nothing, of which there may be two (ck_jit_alone.h).
 *
 * Nothing of HIP's is called when such a side is loaded. So a function that calls none may be called first where none may be called, in a
 * host callback of a stream. Thread-safe.
 */
#ifndef CK_JIT_HOST_H
#define CK_JIT_HOST_H

#include "ck_jit_wanted.h"

/* Let W, of F's blob, be wanted for the call of F, if its host's side may do for that, or its functions that launch nothing. */
CKJIT_LOCAL void ckjit_want_function(struct ckjit_wanted *w, uint32_t f);
/* The handle of the host's side of W, wanted for a call of F, which is put into the in-process table; or of what has F alone. NULL: no cache has it,
 * or it cannot be loaded. */
CKJIT_LOCAL void *ckjit_host_load(const struct ckjit_wanted *w, uint32_t f);
/* Whether BLOB is in the table with its host's side alone, as far as anybody knows who has not called HIP. */
CKJIT_LOCAL bool ckjit_is_host_side(uint32_t blob);

#endif
