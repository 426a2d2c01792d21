/* ck_jit_cuda_kernels.c - the part of ckjit in a compiled CUDA blob whose kernels are compiled one by one: what CUDA calls the things
 * of ck_jit_registry.h.
 *
 * nvcc's host code registers its kernels with CUDA's runtime when it is loaded, together with one fat binary of them all. Here there is
 * none: all that is registered is one module, and the library's runtime is asked for the fat binary of each kernel (ck_jit_kernels.c).
 *
 * libc only; CUDA's runtime is what the blob is linked with anyway. Thread-safe. Sources: cuda/include/crt/host_runtime.h for the
 * registration; CUDA Runtime API for the rest; all of CUDA 12 and 13.
 */
#define CKJIT_KNOWN 64      /* the kernels of a blob */
#define CKJIT_KNOWN_SHIFT 4 /* their host stubs are functions */
#include "ck_jit_registry.h"

/* crt/fatbinary_section.h */
struct ckjit_fat_wrapper {
  int magic, version;
  const void *data;
  void *unused;
};
enum { CKJIT_FAT_MAGIC = 0x466243b1, CKJIT_FAT_VERSION = 1 };

/* The library's runtime (ck_jit_kernels.c): as ckjit_find_code, but does not return if it fails. */
typedef const void *ckjit_kernel_find(void *context, const char *kernel, int *all);

static ckjit_kernel_find *ckjit_find;
static void *ckjit_find_context;
static struct ckjit_module *ckjit_blob; /* all that is registered */

/* called by the runtime before the first call of the blob */
__attribute__((visibility("default"))) void ckjit_kernels_attach(ckjit_kernel_find *find, void *context);

/* CUDA's, and what --wrap puts in their place */
void **__real___cudaRegisterFatBinary(void *wrapper);
void **__wrap___cudaRegisterFatBinary(void *wrapper);
void __real___cudaRegisterFatBinaryEnd(void **handle);
void __wrap___cudaRegisterFatBinaryEnd(void **handle);
void __wrap___cudaUnregisterFatBinary(void **handle);
void __real___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size);
void __wrap___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size);
void __real___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
void __wrap___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);

void ckjit_kernels_attach(ckjit_kernel_find *find, void *context) {
  ckjit_find = find;
  ckjit_find_context = context;
}

/* ---- what the host code registers when it is loaded ---- */

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
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size) {
  (void)threads;
  (void)tid;
  (void)bid;
  (void)block;
  (void)grid;
  (void)size;
  struct ckjit_thing t = {.module = ckjit_module_of(handle), .host = host, .device = device, .name = name};
  ckjit_registry_add(&t);
}

void __wrap___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global) {
  struct ckjit_thing t = {.module = ckjit_module_of(handle),
                          .host = host,
                          .device = device,
                          .name = name,
                          .variable = true,
                          .ext = ext,
                          .size = size,
                          .constant = constant,
                          .global = global};
  ckjit_registry_add(&t);
}

/* ---- what is needed ---- */

static const void *ckjit_find_code(struct ckjit_thing *t, const char *name, int *all) {
  (void)t;
  return ckjit_find ? ckjit_find(ckjit_find_context, name, all) : NULL;
}

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

#include "ck_jit_cuda_calls.h" /* as ckjit-compile writes it: those that this blob calls */
