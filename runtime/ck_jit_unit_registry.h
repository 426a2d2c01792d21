/* ck_jit_unit_registry.h - the common part of lazy CUDA and HIP units on top of ck_jit_registry.h.
 *
 * Included once by ck_jit_cuda_kernels.c and by ck_jit_hip_kernels.c. Either is part of the runtime
 * of a library that has lazy units. With CKJIT_ENTRY it is compiled into the entry of a blob whose
 * host side is made late (compile/unit/latelink.c), and the library's runtime, which has loaded the
 * entry, tells it whom to ask for code (ck_jit_lazy.c). Registrations of a lazy unit
 * are known by what stands for its fat binary (abi/ck_jit_unit.h). All others, of objects that the
 * real compiler has compiled whole, go through to the real runtime, and are remembered as there:
 * the kernel of a template that a lazy unit and another have instantiated may have one address.
 *
 * If a kernel is not available, the real runtime gets the call and knows no such kernel. So a
 * launch returns the error of a program that was not compiled for this GPU
 * (hipErrorInvalidDeviceFunction, cudaErrorInvalidDeviceFunction), and so does the function of the
 * last error: `kernel<<<…>>>()` has no other way to report it, and host code expects it there. The
 * compiler's messages are on standard error, once for each kernel.
 *
 * When host code is unloaded it unregisters its fat binary. Then the registry unregisters what it
 * registered for it meanwhile: otherwise the real runtime would keep addresses of a library that is
 * gone.
 */
#ifndef CK_JIT_UNIT_REGISTRY_H
#define CK_JIT_UNIT_REGISTRY_H

#include "ck_jit_registry.h"
#include "ck_jit_unit.h"
#ifndef CKJIT_ENTRY
#include "ck_jit_artefact.h"
#include "ck_jit_lazy.h"
#endif

/* The key of the kernels of the unit with KEY. */
static const char *ckjit_key_of(const char *key) {
#ifndef CKJIT_ENTRY
  for (uint32_t i = 0; i < ckjit_facts.linked_units; i++)
    if (strncmp(ckjit_string(ckjit_linked_units[i].own), key, CKJIT_UNIT_KEY_HEX) == 0)
      return ckjit_string(ckjit_linked_units[i].key);
#endif
  return key;
}

/* The handle of a lazy unit whose fat binary DATA host code registers; NULL: the real runtime has
 * to register it. */
static void **ckjit_unit_register(const void *data) {
  if (!data || memcmp(data, CKJIT_UNIT_MAGIC, CKJIT_UNIT_MAGIC_SIZE) != 0)
    return NULL;
  return (void **)(void *)ckjit_module_new(
      ckjit_key_of((const char *)data + CKJIT_UNIT_MAGIC_SIZE));
}

/* Host code unregisters HANDLE: unregister it if it is the real runtime's, else the registrations
 * that were made for it. */
static void ckjit_unit_unregister(void **handle, void (*unregister)(void **handle)) {
  struct ckjit_module *m = ckjit_module_of(handle);
  if (!m) {
    unregister(handle);
    return;
  }
  struct ckjit_registered *r = ckjit_module_leave(m);
  while (r) {
    struct ckjit_registered *next = r->next;
    unregister(r->handle);
    free(r->wrapper);
    free(r);
    r = next;
  }
}

#ifdef CKJIT_ENTRY
/* ---- whom an entry asks ---- */

/* As ckjit_find_code, but it does not return if it fails. */
typedef const void *ckjit_kernel_find(void *context, const char *kernel, int *all);

static ckjit_kernel_find *ckjit_find;
static void *ckjit_find_context;

/* The runtime calls this before the first call of the blob. */
__attribute__((visibility("default"))) void ckjit_kernels_attach(ckjit_kernel_find *find,
                                                                 void *context);

void ckjit_kernels_attach(ckjit_kernel_find *find, void *context) {
  ckjit_find = find;
  ckjit_find_context = context;
}

static const void *ckjit_find_code(struct ckjit_thing *t, const char *name, int *all) {
  (void)t;
  return ckjit_find ? ckjit_find(ckjit_find_context, name, all) : NULL;
}

/* Calls of the blob are counted, not launches. */
static bool ckjit_count(struct ckjit_thing *t) {
  (void)t;
  return false;
}
#else
static const void *ckjit_find_code(struct ckjit_thing *t, const char *name, int *all) {
  return ckjit_lazy_code(t->module->key, name, all, &t->said);
}

const char *ckjit_lazy_name(uint32_t row, const char *name, size_t n) {
  char hex[CKJIT_UNIT_KEY_HEX + 1];
  const char *found = NULL;
  ckjit_hex(hex, ckjit_blobs[row].key, CKJIT_KEY_SIZE);
  ckjit_mutex_lock(&ckjit_registry_mutex);
  for (struct ckjit_thing *t = ckjit_things; t && !found; t = t->earlier)
    if (t->module && !t->variable && !t->asked &&
        memcmp(t->module->key, hex, CKJIT_UNIT_KEY_HEX) == 0 && strncmp(t->name, name, n) == 0 &&
        !t->name[n])
      found = t->name;
  ckjit_mutex_unlock(&ckjit_registry_mutex);
  return found;
}

static bool ckjit_count(struct ckjit_thing *t) {
  return t->module && !t->variable && !t->asked &&
         ckjit_lazy_count(t->module->key, t->name, &t->captured);
}
#endif

#endif
