/* kernels.h - which kernels are in a piece of device code.
 *
 * Never reads outside of its bytes, whatever they hold.
 */
#ifndef CKJIT_COMPILE_EXPORT_KERNELS_H
#define CKJIT_COMPILE_EXPORT_KERNELS_H

#include "core/base/argv.h"

struct kernels {
  struct argv names;
  size_t empty; /* how many of them end at once: an #if left their body out */
};

void kernels_free(struct kernels *k);
/* Add what is in a code object (an ELF file for AMD's GPUs), in assembler text, in LLVM's text. False if
 * the bytes are not that. Text must have a NUL behind it. */
bool kernels_of_code_object(struct kernels *k, const char *bytes, size_t size);
bool kernels_of_asm(struct kernels *k, const char *text);
bool kernels_of_ir(struct kernels *k, const char *text);
/* the same of CUDA's: a cubin, which is an ELF file for NVIDIA's GPUs, and PTX */
bool kernels_of_cubin(struct kernels *k, const char *bytes, size_t size);
bool kernels_of_ptx(struct kernels *k, const char *text);

#endif
