/* ck_jit_cuda_units.c - the kernels of lazy units of CUDA: what CUDA calls the things of ck_jit_registry.h.
 *
 * Part of the runtime of a library that has such units; of others it is empty. The library is linked with --wrap for the functions below and
 * for those of its objects' calls that take an address (postbuild/lazyunits.c). Registrations of a lazy unit are known by what stands for its
 * fat binary (ck_jit_unit.h). All others, of objects that nvcc has compiled whole, go through to CUDA, and are remembered as there: the
 * kernel of a template that a lazy unit and another have instantiated may have one address.
 *
 * A kernel that cannot be had leaves the call to CUDA, which knows no such kernel. So a launch returns cudaErrorInvalidDeviceFunction, and
 * cudaGetLastError says it. It is the error of a program that was not compiled for this GPU. The compiler's words are on standard error,
 * once for each kernel.
 *
 * When host code is unloaded it unregisters its fat binary. What was registered for it meanwhile is unregistered then: CUDA would keep
 * addresses of a library that is gone.
 */
#include "ck_jit_manifest.h"

#if CKJIT_LAZY_UNITS && CKJIT_LAZY_CUDA
#include "ck_jit_lazy.h"
#include "ck_jit_unit.h"

/* causal-conv1d's units have up to 108 kernels, and a library has several units. */
#define CKJIT_KNOWN 1024
#define CKJIT_KNOWN_SHIFT 4 /* host stubs are functions */
#include "ck_jit_cuda_registry.h"

/* ---- what host code registers when it is loaded, and unregisters when it goes ---- */

__attribute__((visibility("hidden"))) void **__wrap___cudaRegisterFatBinary(void *wrapper) {
  const struct ckjit_fat_wrapper *w = wrapper;
  if (!w || !w->data || memcmp(w->data, CKJIT_UNIT_MAGIC, CKJIT_UNIT_MAGIC_SIZE) != 0)
    return __real___cudaRegisterFatBinary(wrapper);
  return (void **)(void *)ckjit_module_new((const char *)w->data + CKJIT_UNIT_MAGIC_SIZE);
}

__attribute__((visibility("hidden"))) void __wrap___cudaRegisterFatBinaryEnd(void **handle) {
  if (!ckjit_module_of(handle))
    __real___cudaRegisterFatBinaryEnd(handle);
}

__attribute__((visibility("hidden"))) void __wrap___cudaRegisterFunction(void **handle, const char *host,
                                                                         char *device, const char *name,
                                                                         int threads, void *tid, void *bid,
                                                                         void *block, void *grid, int *size) {
  struct ckjit_thing t = {.module = ckjit_module_of(handle), .host = host, .device = device, .name = name};
  if (!t.module) {
    __real___cudaRegisterFunction(handle, host, device, name, threads, tid, bid, block, grid, size);
    t.ready = 1;
  }
  ckjit_registry_add(&t);
}

__attribute__((visibility("hidden"))) void __wrap___cudaRegisterVar(void **handle, char *host, char *device,
                                                                    const char *name, int ext, size_t size,
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
  if (!t.module) {
    __real___cudaRegisterVar(handle, host, device, name, ext, size, constant, global);
    t.ready = 1;
  }
  ckjit_registry_add(&t);
}

__attribute__((visibility("hidden"))) void __wrap___cudaUnregisterFatBinary(void **handle) {
  struct ckjit_module *m = ckjit_module_of(handle);
  if (!m) {
    __real___cudaUnregisterFatBinary(handle);
    return;
  }
  struct ckjit_registered *r = ckjit_module_leave(m);
  while (r) {
    struct ckjit_registered *next = r->next;
    __real___cudaUnregisterFatBinary(r->handle);
    free(r->wrapper);
    free(r);
    r = next;
  }
}

/* ---- what is needed ---- */

static const void *ckjit_find_code(struct ckjit_thing *t, const char *name, int *all) {
  return ckjit_lazy_code(t->module->key, name, all, &t->said);
}

static bool ckjit_count(struct ckjit_thing *t) {
  return t->module && !t->variable && ckjit_lazy_count(t->module->key, t->name, &t->captured);
}

/* The trampolines differ by name only: a variable's address is one like a kernel's. */
#define TAKES_VARIABLE(name, arg) TAKES(name, arg)
#include "ck_jit_unit_calls.h" /* as ckjit-link writes it: those of ck_jit_cuda_calls.h that this library's objects call */

#endif
