/* ck_jit_cuda_registry.h - CUDA's names for ck_jit_registry.h, for the shim in a blob's entry
 * (ck_jit_cuda_kernels.c) and that of a library with lazy units (ck_jit_cuda_units.c). Each defines
 * the macros of ck_jit_registry.h before it includes this.
 *
 * Sources: cuda/include/crt/host_runtime.h and fatbinary_section.h for the registration; CUDA
 * Runtime API for the rest; all of CUDA 12 and 13.
 */
#ifndef CK_JIT_CUDA_REGISTRY_H
#define CK_JIT_CUDA_REGISTRY_H

#define CKJIT_PARAMS_KERNEL                                                                        \
  0 /* of cudaKernelNodeParams, and of cudaKernelNodeParamsV2 in a cudaGraphNodeParams */
#include "ck_jit_registry.h"

/* crt/fatbinary_section.h */
struct ckjit_fat_wrapper {
  int magic, version;
  const void *data;
  void *unused;
};
enum { CKJIT_FAT_MAGIC = 0x466243b1, CKJIT_FAT_VERSION = 1 };

/* CUDA's functions, and the replacements for --wrap. */
void **__real___cudaRegisterFatBinary(void *wrapper);
void **__wrap___cudaRegisterFatBinary(void *wrapper);
void __real___cudaRegisterFatBinaryEnd(void **handle);
void __wrap___cudaRegisterFatBinaryEnd(void **handle);
void __real___cudaUnregisterFatBinary(void **handle);
void __wrap___cudaUnregisterFatBinary(void **handle);
void __real___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid,
                                   int *size);
void __wrap___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid,
                                   int *size);
void __real___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
void __wrap___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);

static void ckjit_begin(struct ckjit_registered *r, const void *data) {
  struct ckjit_fat_wrapper *wrapper = ckjit_new(sizeof *wrapper);
  *wrapper = (struct ckjit_fat_wrapper){CKJIT_FAT_MAGIC, CKJIT_FAT_VERSION, data, NULL};
  r->wrapper = wrapper;
  r->handle = __real___cudaRegisterFatBinary(wrapper);
}

static void ckjit_add_thing(const struct ckjit_registered *r, const struct ckjit_thing *t) {
  if (t->variable)
    __real___cudaRegisterVar(r->handle, (char *)t->host, t->device, t->name, t->ext, t->size,
                             t->constant, t->global);
  else
    __real___cudaRegisterFunction(r->handle, t->host, t->device, t->name, -1, NULL, NULL, NULL,
                                  NULL, NULL);
}

static void ckjit_end(const struct ckjit_registered *r) {
  __real___cudaRegisterFatBinaryEnd(r->handle);
}

static const void *ckjit_denied(const struct ckjit_thing *t) {
  return t->host;
}

/* ---- handles ----
 *
 * The host code of nvcc 13 asks for a kernel's handle once in a process, whatever the answer, and
 * launches with that. A kernel that could not be compiled would be lost to it for ever. So if there
 * is no handle the answer is the kernel's address, and a launch with an address asks again.
 *
 * Source: __cudaLaunch of cuda/include/crt/host_runtime.h.
 */
struct ckjit_dim3 {
  unsigned x, y, z;
};

int __cudaGetKernel(void **kernel, const void *f);
int ckjit_real_handle(void **kernel, const void *f) __asm__("__real___cudaGetKernel");

static int ckjit_denied_any;                  /* there are such handles; atomic */
static __thread const void *ckjit_denied_now; /* the next launch is part of the denied call */

__attribute__((unused)) static int ckjit_get_handle(void **kernel, const void *f) {
  ckjit_kernel_need(f);
  int error = ckjit_real_handle(kernel, f);
  if (error && ckjit_thing_at(ckjit_index_now(), f)) {
    *kernel = (void *)f;
    ckjit_denied_now = f;
    __atomic_store_n(&ckjit_denied_any, 1, __ATOMIC_RELEASE);
  }
  return error;
}

/* The handle to launch KERNEL with; KERNEL may be an address. NULL: the real function returns an
 * error for it. */
__attribute__((unused)) static void *ckjit_handle_for_launch(void *kernel) {
  if (!__atomic_load_n(&ckjit_denied_any, __ATOMIC_ACQUIRE) ||
      !ckjit_thing_at(ckjit_index_now(), kernel))
    return kernel;
  void *handle = NULL;
  /* which calls the function above */
  bool found = ckjit_denied_now != kernel && __cudaGetKernel(&handle, kernel) == 0;
  ckjit_denied_now = NULL;
  return found ? handle : NULL;
}

#define GETS_HANDLE(name)                                                                          \
  __attribute__((visibility("hidden"))) int ckjit_wrap_handle(                                     \
      void **kernel, const void *f) __asm__("__wrap_" name);                                       \
  int ckjit_wrap_handle(void **kernel, const void *f) {                                            \
    return ckjit_get_handle(kernel, f);                                                            \
  }
#define TAKES_HANDLE(name) TAKES_HANDLE_(__COUNTER__, name)
#define TAKES_HANDLE_(n, name) TAKES_HANDLE__(n, name)
#define TAKES_HANDLE__(n, name)                                                                    \
  int ckjit_real_##n(void *kernel, struct ckjit_dim3 grid, struct ckjit_dim3 block, void **args,   \
                     size_t shared, void *stream) __asm__("__real_" name);                         \
  __attribute__((visibility("hidden"))) int ckjit_wrap_##n(                                        \
      void *kernel, struct ckjit_dim3 grid, struct ckjit_dim3 block, void **args, size_t shared,   \
      void *stream) __asm__("__wrap_" name);                                                       \
  int ckjit_wrap_##n(void *kernel, struct ckjit_dim3 grid, struct ckjit_dim3 block, void **args,   \
                     size_t shared, void *stream) {                                                \
    return ckjit_real_##n(ckjit_handle_for_launch(kernel), grid, block, args, shared, stream);     \
  }

/* ---- nodes of graphs ----
 *
 * cudaGraphAddNode(node, graph, from, n, params) of CUDA 12 is cudaGraphAddNode(node, graph, from,
 * edges, n, params) since CUDA 13. Code is linked with the runtime for which it was compiled.
 */
int cudaRuntimeGetVersion(int *version);

#define ADDS_NODE(name)                                                                            \
  int ckjit_real_node(void *node, void *graph, const void *from, const void *d, const void *e,     \
                      const void *f) __asm__("__real_" name);                                      \
  __attribute__((visibility("hidden"))) int ckjit_wrap_node(                                       \
      void *node, void *graph, const void *from, const void *d, const void *e,                     \
      const void *f) __asm__("__wrap_" name);                                                      \
  int ckjit_wrap_node(void *node, void *graph, const void *from, const void *d, const void *e,     \
                      const void *f) {                                                             \
    int version = 0;                                                                               \
    if (cudaRuntimeGetVersion(&version) == 0 && version >= 13000)                                  \
      ckjit_kernel_need_of_node(f);                                                                \
    else                                                                                           \
      ckjit_kernel_need_of_node(e);                                                                \
    return ckjit_real_node(node, graph, from, d, e, f);                                            \
  }

#endif
