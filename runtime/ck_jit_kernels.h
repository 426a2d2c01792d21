/* ck_jit_kernels.h - the kernels of a CUDA blob that are compiled one by one (compile/unit/late.h).
 *
 * The entry of such a blob has its host code and no kernel. Before its first function is called it is told
 * whom to ask for the fat binary of a kernel: this part, which finds it in the cache or has it compiled as a
 * blob is found and compiled, with the same look-up, flights, locks and messages. The other side, which
 * registers the fat binary with CUDA's runtime, is ck_jit_cuda_kernels.c, linked into the entry.
 */
#ifndef CK_JIT_KERNELS_H
#define CK_JIT_KERNELS_H

#include "ck_jit_wanted.h"

/* Whether the blob of W is to be taken apart. */
CKJIT_LOCAL bool ckjit_per_kernel(const struct ckjit_wanted *w);
/* Let W be the entry without kernels. */
CKJIT_LOCAL void ckjit_want_apart(struct ckjit_wanted *w);

/* Tell the entry behind HANDLE, loaded from PATH with W's build id, whom to ask for its kernels; an entry
 * that does not want to know has them. To be called before anybody else can call a function of it. False: no
 * memory. */
CKJIT_LOCAL bool ckjit_attach(void *handle, const struct ckjit_wanted *w, const char *path);

#endif
