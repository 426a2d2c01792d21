/* resources.h - what a kernel takes of a GPU: registers, spills, memory. The compiler has written
 * these facts into the code itself, so reading them needs no option of a compile.
 *
 * AMD:    the note of a code object (LLVM, AMDGPUUsage, "Code Object V4 Metadata"), a message pack.
 * NVIDIA: the sections .nv.info of a cubin, which are not documented. What is read here is what
 *         `ptxas -v` of CUDA 13 prints, on code for sm_75 to sm_120 (test/resources.sh).
 *
 * No input makes it read outside its bytes. Thread safety: no shared state.
 */
#ifndef CKJIT_RESOURCES_H
#define CKJIT_RESOURCES_H

#include "core/base/base.h"

enum resource {
  /* 32-bit registers of a thread; AMD's vector registers, of gfx90a and later with AGPRs */
  RESOURCE_REGISTERS,
  RESOURCE_SCALAR_REGISTERS, /* AMD */
  /* AMD: vector registers that are spilled. NVIDIA: instructions that spill or reload one; of code
   * with thousands of them ptxas marks a part. */
  RESOURCE_SPILLS,
  RESOURCE_SCALAR_SPILLS, /* AMD */
  RESOURCE_STACK,         /* bytes of a thread in local memory, or scratch */
  RESOURCE_SHARED,        /* static bytes of a block in shared memory, or LDS */
  RESOURCE_MAX_THREADS,   /* of a block; the launch bound */
  /* waves of an AMD SIMD, or warps of an NVIDIA multiprocessor, that its registers let run at the
   * same time */
  RESOURCE_WAVES,
  RESOURCES
};
enum { RESOURCE_UNKNOWN = -1 };

struct resources {
  char *kernel; /* its mangled name */
  char *arch;
  int64_t of[RESOURCES]; /* RESOURCE_UNKNOWN: unknown, or the GPU has no such thing */
};

struct resources_list {
  struct resources *list;
  size_t n;
};

/* "registers", "scalar_registers" …: a name of JSON; static */
const char *resource_name(enum resource r);

/* Append the kernels of the code object or cubin in the SIZE bytes at CODE, which is for ARCH, such
 * as "gfx942:xnack-" or "sm_90". Code of another kind has none. */
void resources_read(struct resources_list *all, const char *arch, const void *code, size_t size);
void resources_free(struct resources_list *all);

/* The compiler and its version by the code itself, such as "Debian clang version 15.0.6" or "Cuda
 * compilation tools, release 13.0, V13.0.88"; free() it. NULL: it does not say. */
char *resources_compiler(const void *code, size_t size);

#endif
