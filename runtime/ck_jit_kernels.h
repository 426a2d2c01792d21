/* ck_jit_kernels.h - the kernels of a CUDA blob that are compiled one by one
 * (compile/cuda/entry.h).
 *
 * The entry of such a blob has its host code and no kernel. Before the first call of its functions,
 * the entry is given a function of this part for the fat binary of a kernel. This part finds the
 * kernel in the cache or compiles it like a blob, with the same look-up, flights, locks and
 * messages. The other side, which registers the fat binary with CUDA's runtime, is
 * ck_jit_cuda_kernels.c, linked into the entry.
 */
#ifndef CK_JIT_KERNELS_H
#define CK_JIT_KERNELS_H

#include "ck_jit_wanted.h"

/* Whether the kernels of W's blob are compiled one by one. */
CKJIT_LOCAL bool ckjit_per_kernel(const struct ckjit_wanted *w);
/* Change W to the entry without kernels. */
CKJIT_LOCAL void ckjit_want_apart(struct ckjit_wanted *w);

/* Give the entry of HANDLE, loaded from PATH with W's build id, the function that finds its
 * kernels; an entry that does not ask for it has its kernels. Call it before anybody else can call
 * a function of the entry. False: no memory. */
CKJIT_LOCAL bool ckjit_attach(void *handle, const struct ckjit_wanted *w, const char *path);

#endif
