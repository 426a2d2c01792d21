/* ck_jit_hip_kernels.c - the kernels of lazy HIP units: HIP's names for ck_jit_registry.h and
 * ck_jit_unit_registry.h.
 *
 * Part of the runtime of a library that has lazy units, and empty in others. The library is linked
 * with --wrap for the functions below and for those calls of its objects that take an address
 * (postbuild/lazyunits.c).
 *
 * Sources: hipamd's hip_platform.cpp, of HIP 5.2.3 and 7.2.4; clang's lib/CodeGen/CGCUDANV.cpp for
 * its registrations.
 */
#ifndef CKJIT_ENTRY
#include "ck_jit_manifest.h"
#endif

#if defined CKJIT_ENTRY || (CKJIT_LAZY && !CKJIT_CUDA)
/* Some units have 300 kernels. Their addresses are those of adjacent variables of 8 bytes, so there
 * are at most as many collisions as kernels beyond this number. */
#define CKJIT_KNOWN 1024
#define CKJIT_KNOWN_SHIFT 3
#define CKJIT_PARAMS_KERNEL 24 /* of hipKernelNodeParams */
#include "ck_jit_registry.h"
#include "ck_jit_unit_registry.h"

/* clang's CGCUDANV.cpp */
struct ckjit_hip_wrapper {
  uint32_t magic, version;
  const void *binary;
  void *unused;
};
enum { CKJIT_HIP_MAGIC = 0x48495046, CKJIT_HIP_VERSION = 1 };

/* HIP's functions, and the replacements for --wrap. */
void **__real___hipRegisterFatBinary(const void *wrapper);
void **__wrap___hipRegisterFatBinary(const void *wrapper);
void __real___hipUnregisterFatBinary(void **handle);
void __wrap___hipUnregisterFatBinary(void **handle);
void __real___hipRegisterFunction(void **handle, const void *host, char *device, const char *name,
                                  unsigned threads, void *tid, void *bid, void *block, void *grid,
                                  int *size);
void __wrap___hipRegisterFunction(void **handle, const void *host, char *device, const char *name,
                                  unsigned threads, void *tid, void *bid, void *block, void *grid,
                                  int *size);
void __real___hipRegisterVar(void **handle, void *host, char *device, char *name, int ext,
                             size_t size, int constant, int global);
void __wrap___hipRegisterVar(void **handle, void *host, char *device, char *name, int ext,
                             size_t size, int constant, int global);

/* ---- registrations of host code when it is loaded and unloaded ---- */

__attribute__((visibility("hidden"))) void **__wrap___hipRegisterFatBinary(const void *wrapper) {
  const struct ckjit_hip_wrapper *w = wrapper;
  void **handle = w ? ckjit_unit_register(w->binary) : NULL;
  return handle ? handle : __real___hipRegisterFatBinary(wrapper);
}

__attribute__((visibility("hidden"))) void
__wrap___hipRegisterFunction(void **handle, const void *host, char *device, const char *name,
                             unsigned threads, void *tid, void *bid, void *block, void *grid,
                             int *size) {
  struct ckjit_thing t = {
      .module = ckjit_module_of(handle), .host = host, .device = device, .name = name, .ready = 0};
  if (!t.module) {
    __real___hipRegisterFunction(handle, host, device, name, threads, tid, bid, block, grid, size);
    t.ready = 1;
  }
  ckjit_registry_add(&t);
}

__attribute__((visibility("hidden"))) void __wrap___hipRegisterVar(void **handle, void *host,
                                                                   char *device, char *name,
                                                                   int ext, size_t size,
                                                                   int constant, int global) {
  struct ckjit_thing t = ckjit_variable(handle, host, device, name, ext, size, constant, global);
  if (!t.module) {
    __real___hipRegisterVar(handle, host, device, name, ext, size, constant, global);
    t.ready = 1;
  }
  ckjit_registry_add(&t);
}

__attribute__((visibility("hidden"))) void __wrap___hipUnregisterFatBinary(void **handle) {
  ckjit_unit_unregister(handle, __real___hipUnregisterFatBinary);
}

/* ---- functions that ck_jit_registry.h needs ---- */

static void ckjit_begin(struct ckjit_registered *r, const void *data) {
  struct ckjit_hip_wrapper *wrapper = ckjit_new(sizeof *wrapper);
  *wrapper = (struct ckjit_hip_wrapper){CKJIT_HIP_MAGIC, CKJIT_HIP_VERSION, data, NULL};
  r->wrapper = wrapper;
  r->handle = __real___hipRegisterFatBinary(wrapper);
}

static void ckjit_add_thing(const struct ckjit_registered *r, const struct ckjit_thing *t) {
  if (t->variable)
    __real___hipRegisterVar(r->handle, (void *)t->host, t->device, (char *)t->name, t->ext, t->size,
                            t->constant, t->global);
  else
    __real___hipRegisterFunction(r->handle, t->host, t->device, t->name, (unsigned)-1, NULL, NULL,
                                 NULL, NULL, NULL);
}

static void ckjit_end(const struct ckjit_registered *r) {
  (void)r;
}

/* HIP 7.2 takes an unknown address for a hipFunction_t and dereferences it. For a null pointer all
 * releases return hipErrorInvalidDeviceFunction. For the unknown address of a variable it returns
 * an error. */
static const void *ckjit_denied(const struct ckjit_thing *t) {
  return t->variable ? t->host : NULL;
}

/* calls of this library's objects that take an address, by ckjit-link */
#include "ck_jit_unit_calls.h"

#endif
