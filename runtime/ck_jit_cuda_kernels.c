/* ck_jit_cuda_kernels.c - late kernels of CUDA: what CUDA calls the things of ck_jit_registry.h and
 * ck_jit_unit_registry.h.
 *
 * It is part of the runtime of a library that has lazy units of CUDA; in others it is empty. With
 * CKJIT_ENTRY it is compiled into the entry of a blob, a unit whose host side is made late
 * (compile/unit/latelink.c); the library's runtime, which has loaded the entry, tells it whom to
 * ask for code (ck_jit_lazy.c). Either is linked with --wrap for the functions below, and for those
 * of its objects' calls that take an address.
 *
 * libc only; CUDA's runtime is what host code is linked with anyway.
 *
 * Sources: cuda/include/crt/host_runtime.h and fatbinary_section.h for the registration; CUDA
 * Runtime API for the rest; all of CUDA 12 and 13.
 */
#ifndef CKJIT_ENTRY
#include "ck_jit_manifest.h"
#endif

#if defined CKJIT_ENTRY || (CKJIT_LAZY && CKJIT_CUDA)
/* causal-conv1d's units have up to 108 kernels each, and a library has several units. */
#define CKJIT_KNOWN 1024
#define CKJIT_KNOWN_SHIFT 4 /* host stubs are functions */
/* of cudaKernelNodeParams, and of cudaKernelNodeParamsV2 in a cudaGraphNodeParams */
#define CKJIT_PARAMS_KERNEL 0
#include "ck_jit_registry.h"
#include "ck_jit_unit_registry.h"
#ifndef CKJIT_ENTRY
#include "ck_jit_combination.h"
#endif

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

/* ---- registrations of host code when it is loaded and unloaded ---- */

__attribute__((visibility("hidden"))) void **__wrap___cudaRegisterFatBinary(void *wrapper) {
  const struct ckjit_fat_wrapper *w = wrapper;
  void **handle = w ? ckjit_unit_register(w->data) : NULL;
  return handle ? handle : __real___cudaRegisterFatBinary(wrapper);
}

__attribute__((visibility("hidden"))) void __wrap___cudaRegisterFatBinaryEnd(void **handle) {
  if (!ckjit_module_of(handle))
    __real___cudaRegisterFatBinaryEnd(handle);
}

__attribute__((visibility("hidden"))) void
__wrap___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                              int threads, void *tid, void *bid, void *block, void *grid,
                              int *size) {
  struct ckjit_thing t = {
      .module = ckjit_module_of(handle), .host = host, .device = device, .name = name};
  if (!t.module) {
    __real___cudaRegisterFunction(handle, host, device, name, threads, tid, bid, block, grid, size);
    t.ready = 1;
  }
  ckjit_registry_add(&t);
}

__attribute__((visibility("hidden"))) void __wrap___cudaRegisterVar(void **handle, char *host,
                                                                    char *device, const char *name,
                                                                    int ext, size_t size,
                                                                    int constant, int global) {
  struct ckjit_thing t = ckjit_variable(handle, host, device, name, ext, size, constant, global);
  if (!t.module) {
    __real___cudaRegisterVar(handle, host, device, name, ext, size, constant, global);
    t.ready = 1;
  }
  ckjit_registry_add(&t);
}

__attribute__((visibility("hidden"))) void __wrap___cudaUnregisterFatBinary(void **handle) {
  ckjit_unit_unregister(handle, __real___cudaUnregisterFatBinary);
}

/* written by the link: the calls of its objects that take an address */
#include "ck_jit_unit_calls.h"

/* ---- kernels that a program requests ---- */

#ifndef CKJIT_ENTRY

/* CUDA Runtime API, Execution Control; code that registers kernels is linked with it. */
int cudaLaunchKernel(const void *f, struct ckjit_dim3 grid, struct ckjit_dim3 block, void **args,
                     size_t shared, void *stream);
int cudaLaunchCooperativeKernel(const void *f, struct ckjit_dim3 grid, struct ckjit_dim3 block,
                                void **args, size_t shared, void *stream);

CKJIT_LOCAL void ckjit_combination_kernels(bool (*each)(const char *name, void *user), void *user) {
  ckjit_mutex_lock(&ckjit_registry_mutex);
  const struct ckjit_thing *t = ckjit_things;
  ckjit_mutex_unlock(&ckjit_registry_mutex);
  bool more = true; /* registered things stay, and so do their links */
  for (; t && more; t = t->earlier)
    if (t->module && !t->variable && !t->asked)
      more = each(t->name, user);
}

/* The kernel NAME, or the one requested as ASKED. The mutex is held. */
static struct ckjit_thing *ckjit_kernel_called(const char *name, const char *asked) {
  struct ckjit_thing *t = ckjit_things;
  while (t && !(t->module && !t->variable &&
                (asked ? t->asked && strcmp(t->asked, asked) == 0
                       : !t->asked && strcmp(t->name, name) == 0)))
    t = t->earlier;
  return t;
}

CKJIT_LOCAL void *ckjit_combination(const char *name, const char *choices) {
  char *asked = ckjit_new(strlen(name) + strlen(choices) + 1);
  strcat(strcpy(asked, name), choices);
  ckjit_mutex_lock(&ckjit_registry_mutex);
  const struct ckjit_thing *of = ckjit_kernel_called(name, NULL),
                           *t = *choices ? ckjit_kernel_called(name, asked) : of;
  const char *host = t ? t->host : NULL;
  bool is_new = of && !t;
  if (is_new) {
    struct ckjit_thing made = *of;
    made.next = NULL;
    made.ready = made.said = 0;
    made.captured = NULL;
    made.asked = asked;
    made.host = host = ckjit_new(1 << CKJIT_KNOWN_SHIFT); /* a unique address */
    ckjit_registry_add_held(&made);
  }
  ckjit_mutex_unlock(&ckjit_registry_mutex);
  if (!is_new)
    free(asked);
  return (void *)host;
}

CKJIT_LOCAL bool ckjit_combination_get(void *address, struct ckjit_text *error) {
  struct ckjit_thing *t = ckjit_thing_at(ckjit_index_now(), address);
  if (__atomic_load_n(&t->ready, __ATOMIC_ACQUIRE))
    return true;
  int all = 0, none = 0;
  const void *data = ckjit_lazy_try(t->module->key, t->asked ? t->asked : t->name, &all, error);
  if (all)
    data = ckjit_lazy_try(t->module->key, CKJIT_UNIT_WHOLE, &none, error);
  if (!data)
    return false;
  ckjit_mutex_lock(&ckjit_registry_mutex);
  if (!t->ready)
    ckjit_register(data, t->module, all ? NULL : t);
  ckjit_mutex_unlock(&ckjit_registry_mutex);
  return true;
}

CKJIT_LOCAL int ckjit_combination_launch(void *address, const struct ckjit_api_launch *how,
                                         void **args) {
  struct ckjit_dim3 grid = {how->grid[0], how->grid[1], how->grid[2]},
                    block = {how->block[0], how->block[1], how->block[2]};
  return how->cooperative
             ? cudaLaunchCooperativeKernel(address, grid, block, args, how->shared, how->stream)
             : cudaLaunchKernel(address, grid, block, args, how->shared, how->stream);
}

#endif
#endif
