/* kernels.h - which kernels are in a piece of device code.
 *
 * Never reads outside of its bytes, whatever they hold.
 */
#ifndef CKJIT_COMPILE_EXPORT_KERNELS_H
#define CKJIT_COMPILE_EXPORT_KERNELS_H

#include "core/base/argv.h"

struct kernels {
  struct argv names;
  /* how many of them end at once: an #if left their body out */
  size_t empty;
};

void kernels_free(struct kernels *k);
/* Add the kernels of a code object (an ELF file for AMD's GPUs), of assembler text, and of LLVM's
 * text. They return false if the bytes have another format. Text must be followed by a NUL. */
bool kernels_of_code_object(struct kernels *k, const char *bytes, size_t size);
bool kernels_of_asm(struct kernels *k, const char *text);
bool kernels_of_ir(struct kernels *k, const char *text);
/* the same of CUDA's: a cubin, which is an ELF file for NVIDIA's GPUs, and PTX */
bool kernels_of_cubin(struct kernels *k, const char *bytes, size_t size);
bool kernels_of_ptx(struct kernels *k, const char *text);

#endif
