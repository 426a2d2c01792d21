/* ck_jit_cuda_kernels.c - the part of ckjit in a compiled CUDA blob whose kernels are compiled one
 * by one: CUDA's names for ck_jit_registry.h.
 *
 * When nvcc's host code is loaded, it registers its kernels with CUDA's runtime, together with one
 * fat binary of all of them. Here there is no fat binary: the registrations form one module, and
 * this part asks the library's runtime for the fat binary of each kernel (ck_jit_kernels.c).
 *
 * libc only; the blob is linked with CUDA's runtime anyway. Thread-safe.
 */
#define CKJIT_KNOWN 64      /* a blob's kernels */
#define CKJIT_KNOWN_SHIFT 4 /* host stubs are functions */
#include "ck_jit_cuda_registry.h"

/* A function of the library's runtime (ck_jit_kernels.c): as ckjit_find_code, but does not return
 * if it fails. */
typedef const void *ckjit_kernel_find(void *context, const char *kernel, int *all);

static ckjit_kernel_find *ckjit_find;
static void *ckjit_find_context;
static struct ckjit_module *ckjit_blob; /* all that is registered */

/* The runtime calls this before the first call of the blob. */
__attribute__((visibility("default"))) void ckjit_kernels_attach(ckjit_kernel_find *find,
                                                                 void *context);

void ckjit_kernels_attach(ckjit_kernel_find *find, void *context) {
  ckjit_find = find;
  ckjit_find_context = context;
}

/* ---- registrations of the host code when it is loaded ---- */

void **__wrap___cudaRegisterFatBinary(void *wrapper) {
  (void)wrapper;
  if (!ckjit_blob)
    ckjit_blob = ckjit_module_new(NULL);
  return (void **)(void *)ckjit_blob;
}

void __wrap___cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}

void __wrap___cudaUnregisterFatBinary(void **handle) {
  (void)handle; /* kernels stay until the process ends, as the blob does */
}

void __wrap___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid,
                                   int *size) {
  (void)threads;
  (void)tid;
  (void)bid;
  (void)block;
  (void)grid;
  (void)size;
  struct ckjit_thing t = {
      .module = ckjit_module_of(handle), .host = host, .device = device, .name = name};
  ckjit_registry_add(&t);
}

void __wrap___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t size, int constant, int global) {
  struct ckjit_thing t = ckjit_variable(handle, host, device, name, ext, size, constant, global);
  ckjit_registry_add(&t);
}

/* ---- functions that ck_jit_registry.h needs ---- */

static const void *ckjit_find_code(struct ckjit_thing *t, const char *name, int *all) {
  (void)t;
  return ckjit_find ? ckjit_find(ckjit_find_context, name, all) : NULL;
}

/* Calls of the blob are counted, not launches. */
static bool ckjit_count(struct ckjit_thing *t) {
  (void)t;
  return false;
}

#include "ck_jit_cuda_calls.h" /* calls of this blob that take an address, by ckjit-compile */
