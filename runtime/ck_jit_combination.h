/* ck_jit_combination.h - CUDA kernels that a program requests by name and tags (ckjit_combine of
 * libckjit.so).
 *
 * A launch passes the kernel and nothing else, so the name itself says which units are linked to it
 * (docs/fragments.md). A program that chooses at run time requests KERNEL+TAG+TAG…: the same
 * kernel, linked with the units that have these tags, or KERNEL with other choices
 * (ck_jit_protocol.h). It is registered with CUDA's runtime under a
 * separate address, and from then on is a kernel like any other.
 *
 * Thread-safe. ck_jit_cuda_kernels.c defines the functions; a library without lazy units of CUDA
 * has none of them.
 */
#ifndef CK_JIT_COMBINATION_H
#define CK_JIT_COMBINATION_H

#include "ck_jit_api.h"
#include "ck_jit_text.h"

#if CKJIT_LAZY && CKJIT_CUDA
/* Call EACH with the mangled name of each kernel of lazy units, until it returns false. */
CKJIT_LOCAL void ckjit_combination_kernels(bool (*each)(const char *name, void *user), void *user);
/* The address of the kernel NAME with CHOICES, or with "", the same one each time; NULL: there is
 * no such kernel. Compiles nothing. */
CKJIT_LOCAL void *ckjit_combination(const char *name, const char *choices);
/* Compile and register the kernel at ADDRESS, which ckjit_combination returned. False, and the
 * reason in ERROR. */
CKJIT_LOCAL bool ckjit_combination_get(void *address, struct ckjit_text *error);
/* Launch it through the runtime that the library is linked with; returns a cudaError_t. */
CKJIT_LOCAL int ckjit_combination_launch(void *address, const struct ckjit_api_launch *how,
                                         void **args);
#endif

#endif
