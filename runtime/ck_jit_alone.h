/* ck_jit_alone.h - the functions of a HIP blob that launch nothing, without its kernels (compile/hostonly/alone.h).
 *
 * A first call looks for the blob as a whole. If it is not there, an entry of its functions of the host alone may be, or may be all that the call
 * waits for. Whether it has the function is said by its symbols. All of the blob's other functions are resolved as if there were no such entry; the
 * blob is not in the in-process table because of it.
 *
 * Nothing of HIP's is called when it is loaded, and by none of its functions but those that ask about devices. So they may be called first
 * where no function of HIP may be, in a host callback of a stream. Thread-safe.
 */
#ifndef CK_JIT_ALONE_H
#define CK_JIT_ALONE_H

#include "ck_jit_wanted.h"

/* Let W, of F's blob, be wanted for the call of F, if its functions that launch nothing may do: not if the row of a dispatcher
 * has begun that launches the blob's kernels. */
CKJIT_LOCAL void ckjit_want_function(struct ckjit_wanted *w, uint32_t f);
/* Whether the function that W is wanted for is given nothing but numbers, by its name: then it hardly launches. */
CKJIT_LOCAL bool ckjit_hardly_launches(const struct ckjit_wanted *w);
/* The handle of what was loaded that has function F; NULL: nothing has. */
CKJIT_LOCAL void *ckjit_alone_loaded(uint32_t f);
/* The same, loaded from the cache, or from a read-only one if nothing may be compiled, if W is wanted for a call of F. */
CKJIT_LOCAL void *ckjit_alone_load(const struct ckjit_wanted *w, uint32_t f);
/* Whether HANDLE is that of BLOB. */
CKJIT_LOCAL bool ckjit_is_alone(uint32_t blob, const void *handle);
/* BLOB was loaded as W, and not of the inputs of its library: what was loaded alone is of another text, and is not used any more. */
CKJIT_LOCAL void ckjit_alone_outdated(const struct ckjit_wanted *w);

#endif
