/* ck_jit_cuda_units.c - the kernels of lazy CUDA units: CUDA's names for ck_jit_registry.h and
 * ck_jit_unit_registry.h.
 *
 * Part of the runtime of a library that has such units, and empty in others. The library is linked
 * with --wrap for the functions below and for those calls of its objects that take an address
 * (postbuild/lazyunits.c).
 */
#include "ck_jit_manifest.h"

#if CKJIT_LAZY_UNITS && CKJIT_LAZY_CUDA
/* causal-conv1d's units have up to 108 kernels each, and a library has several units. */
#define CKJIT_KNOWN 1024
#define CKJIT_KNOWN_SHIFT 4 /* host stubs are functions */
#include "ck_jit_cuda_registry.h"
#include "ck_jit_combination.h"
#include "ck_jit_unit_registry.h"

/* The key of the kernels of the unit with KEY. Kernels of a unit with -rdc=true are linked with
 * other units, and ckjit-link has given them another key. Defined below, after the list of
 * units. */
static const char *ckjit_key_of(const char *key);

/* ---- registrations of host code when it is loaded and unloaded ---- */

__attribute__((visibility("hidden"))) void **__wrap___cudaRegisterFatBinary(void *wrapper) {
  const struct ckjit_fat_wrapper *w = wrapper;
  void **handle = w ? ckjit_unit_register(w->data) : NULL;
  struct ckjit_module *m = ckjit_module_of(handle);
  if (m)
    m->key = ckjit_key_of(m->key);
  return m ? handle : __real___cudaRegisterFatBinary(wrapper);
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

/* calls of this library's objects that take an address, by ckjit-link */
#include "ck_jit_unit_calls.h"

#ifdef CKJIT_LINKED_UNITS
static const char *ckjit_key_of(const char *key) {
  static const char *const keys[][2] = {CKJIT_LINKED_UNITS};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (memcmp(keys[i][0], key, CKJIT_UNIT_KEY_HEX) == 0)
      return keys[i][1];
  return key;
}
#else
static const char *ckjit_key_of(const char *key) {
  return key;
}
#endif

/* ---- kernels that a program requests ---- */

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

CKJIT_LOCAL void *ckjit_combination(const char *name, const char *tags) {
  char *asked = ckjit_new(strlen(name) + strlen(tags) + 1);
  strcat(strcpy(asked, name), tags);
  ckjit_mutex_lock(&ckjit_registry_mutex);
  const struct ckjit_thing *of = ckjit_kernel_called(name, NULL),
                           *t = *tags ? ckjit_kernel_called(name, asked) : of;
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
