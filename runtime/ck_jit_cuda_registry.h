/* ck_jit_cuda_registry.h - what CUDA calls the things of ck_jit_registry.h: for the shim in a blob's entry (ck_jit_cuda_kernels.c), and for
 * that of a library with lazy units (ck_jit_cuda_units.c). Either defines what ck_jit_registry.h wants before it includes this.
 *
 * Sources: cuda/include/crt/host_runtime.h and fatbinary_section.h for the registration; CUDA Runtime API for the rest; all of CUDA 12 and 13.
 */
#ifndef CK_JIT_CUDA_REGISTRY_H
#define CK_JIT_CUDA_REGISTRY_H

#include "ck_jit_registry.h"

/* crt/fatbinary_section.h */
struct ckjit_fat_wrapper {
  int magic, version;
  const void *data;
  void *unused;
};
enum { CKJIT_FAT_MAGIC = 0x466243b1, CKJIT_FAT_VERSION = 1 };

/* CUDA's, and what --wrap puts in their place */
void **__real___cudaRegisterFatBinary(void *wrapper);
void **__wrap___cudaRegisterFatBinary(void *wrapper);
void __real___cudaRegisterFatBinaryEnd(void **handle);
void __wrap___cudaRegisterFatBinaryEnd(void **handle);
void __real___cudaUnregisterFatBinary(void **handle);
void __wrap___cudaUnregisterFatBinary(void **handle);
void __real___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size);
void __wrap___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size);
void __real___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
void __wrap___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);

static void ckjit_begin(struct ckjit_registered *r, const void *data) {
  struct ckjit_fat_wrapper *wrapper = ckjit_new(sizeof *wrapper);
  *wrapper = (struct ckjit_fat_wrapper){CKJIT_FAT_MAGIC, CKJIT_FAT_VERSION, data, NULL};
  r->wrapper = wrapper;
  r->handle = __real___cudaRegisterFatBinary(wrapper);
}

static void ckjit_add_thing(const struct ckjit_registered *r, const struct ckjit_thing *t) {
  if (t->variable)
    __real___cudaRegisterVar(r->handle, (char *)t->host, t->device, t->name, t->ext, t->size, t->constant,
                             t->global);
  else
    __real___cudaRegisterFunction(r->handle, t->host, t->device, t->name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void ckjit_end(const struct ckjit_registered *r) {
  __real___cudaRegisterFatBinaryEnd(r->handle);
}

/* For cudaKernelNodeParams, whose first member is the address. */
void ckjit_kernel_need_of(const void *params) {
  if (params)
    ckjit_kernel_need(*(const void *const *)params);
}

#endif
