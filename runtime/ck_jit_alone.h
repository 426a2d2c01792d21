/* ck_jit_alone.h - the functions of a HIP blob that launch no kernel, without its kernels
 * (compile/hostonly/alone.h).
 *
 * A first call looks for the whole blob. If that is missing, an entry of its host-only functions
 * may exist, or may suffice for the call. The entry's symbols say whether it has the function. All
 * other functions of the blob are resolved as if there were no such entry, and the blob does not
 * enter the in-process table because of it.
 *
 * Loading the entry calls no function of HIP, and its functions call only those that query devices.
 * So they may be called first where no function of HIP may be, in a host callback of a stream.
 * Thread-safe.
 */
#ifndef CK_JIT_ALONE_H
#define CK_JIT_ALONE_H

#include "ck_jit_wanted.h"

/* W is F's blob. Mark W as wanted for the call of F, if its host-only functions may suffice: not if
 * a dispatcher's row has begun, because it launches the blob's kernels. */
CKJIT_LOCAL void ckjit_want_function(struct ckjit_wanted *w, uint32_t f);
/* Whether the parameters of the function that W is wanted for are only numbers, by its name: then
 * it is unlikely to launch. */
CKJIT_LOCAL bool ckjit_hardly_launches(const struct ckjit_wanted *w);
/* The handle of the loaded entry that has function F, or NULL. */
CKJIT_LOCAL void *ckjit_alone_loaded(uint32_t f);
/* The same, after loading the entry from the cache, or from a read-only one if nothing may be
 * compiled, if W is wanted for a call of F. */
CKJIT_LOCAL void *ckjit_alone_load(const struct ckjit_wanted *w, uint32_t f);
/* Whether HANDLE is BLOB's host-only entry. */
CKJIT_LOCAL bool ckjit_is_alone(uint32_t blob, const void *handle);
/* BLOB was loaded as W, with inputs that differ from its library's. Forget its host-only entry,
 * which was built from different source. */
CKJIT_LOCAL void ckjit_alone_outdated(const struct ckjit_wanted *w);

#endif
