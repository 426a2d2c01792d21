/* ck_jit_host.h - the functions of a HIP blob that launch nothing, without its kernels (compile/hostonly/entry.h).
 *
 * A first call looks for the blob as a whole. If it is not there, an entry of the blob's functions of the host alone may be,
 * or may be all that is compiled: then the call needs no device code. Whether the function is in such an entry is said by
 * its symbols. A blob's other functions are resolved as if there were none.
 *
 * Nothing of HIP's is called when such an entry is loaded, and by none of its functions but those that ask about devices
 * themselves. All others may be called first where no function of HIP may be, in a host callback of a stream. Thread-safe.
 */
#ifndef CK_JIT_HOST_H
#define CK_JIT_HOST_H

#include "ck_jit_wanted.h"

/* Let W, of F's blob, be wanted for the call of F alone, if that may be. */
CKJIT_LOCAL void ckjit_want_function(struct ckjit_wanted *w, uint32_t f);
/* The address of F in an entry that was loaded; NULL: it is in none. */
CKJIT_LOCAL void *ckjit_host_loaded(uint32_t f);
/* The same, of an entry of W's blob that is in a cache as well. */
CKJIT_LOCAL void *ckjit_host_find(const struct ckjit_wanted *w, uint32_t f);

#endif
