/* ck_jit_registry.h - device kernels and variables that host code has registered, and whose code is
 * compiled when it is needed.
 *
 * When host code is loaded it registers a fat binary, and with it each kernel and variable, by the
 * address that the host uses for it. Here the object code is linked with --wrap, so that the
 * registrations reach this registry. For a fat binary that does not exist yet, a *module*, the
 * registry stores them and does nothing else. The calls that take such an address reach the
 * registry as well. It gets the code if necessary, and then the call continues:
 *
 *     hipLaunchKernel, __cudaGetKernel, …   the trampolines below
 *     first use of a kernel                 ckjit_kernel_need gets the fat binary of this kernel
 *                                           alone and registers it with the real runtime, as a
 *                                           library does that is loaded at this moment
 *     first use of a variable, or of a      the same with the fat binary of the whole module, for
 *     kernel that shares some               all things that are not registered yet
 *
 * Later launches cost nothing more. If there is no fat binary, the real function still gets the
 * call, with an address of no kernel (ckjit_denied). It returns its own error for that, and so does
 * its function of the last error, where callers look for a launch's errors.
 *
 * This file is the whole of the registry; CUDA and HIP add the names and signatures of theirs
 * (ck_jit_cuda_kernels.c and ck_jit_hip_kernels.c, of which one is part of a library's runtime;
 * ck_jit_unit_registry.h is what these do alike). It is included once by each, which first defines
 *
 *     CKJIT_KNOWN          size of the table of addresses that need nothing, a power of two
 *     CKJIT_KNOWN_SHIFT    number of low bits in which addresses do not differ
 *     CKJIT_PARAMS_KERNEL  offset of the kernel's address in the parameters of a kernel node
 *
 * and then the five functions that are declared first below. libc only. Thread-safe; nothing is
 * locked during the search for device code.
 */
#ifndef CK_JIT_REGISTRY_H
#define CK_JIT_REGISTRY_H

#include "ck_jit_mutex.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A kernel or a variable; never freed, because another thread may be reading it. */
struct ckjit_thing {
  struct ckjit_thing *next;    /* of the same module */
  struct ckjit_thing *earlier; /* of all modules */
  /* NULL: the real runtime has had it from the start */
  struct ckjit_module *module;
  /* the address that the host uses for it */
  const char *host;
  char *device;
  const char *name;
  /* The name of a kernel that a program requests with choices (ck_jit_combination.h); NULL: host
   * code registered it. */
  const char *asked;
  unsigned number; /* order of registration */
  /* the real runtime has it, or it is gone; atomic */
  int ready;
  int said; /* its failure was reported; atomic */
  /* the dialect's counter of its launches */
  void *captured;
  bool variable;
  int ext, constant, global; /* of a variable */
  size_t size;
};

/* a fat binary that was registered with the real runtime */
struct ckjit_registered {
  struct ckjit_registered *next;
  void *wrapper; /* the real runtime keeps it */
  void **handle;
};

/* The things that host code registers as one fat binary. Its address is the handle that host code
 * gets. */
struct ckjit_module {
  /* ckjit_mark, with which no handle of the real runtime begins */
  const void *mark;
  struct ckjit_thing *things, **end;
  struct ckjit_registered *registered;
  const void *key; /* the dialect's identity of the unit */
};

/* ---- functions of the dialect ---- */

/* The fat binary of kernel NAME of T's module, or of the whole module if NAME is "*". *ALL is set
 * if the kernel shares variables with others: then the caller must request "*" instead. NULL: there
 * is no code, and the failure was reported. It may take minutes, and may throw. */
static const void *ckjit_find_code(struct ckjit_thing *t, const char *name, int *all);
/* Register the fat binary DATA with the real runtime. */
static void ckjit_begin(struct ckjit_registered *r, const void *data);
static void ckjit_add_thing(const struct ckjit_registered *r, const struct ckjit_thing *t);
static void ckjit_end(const struct ckjit_registered *r);
/* T's code is not available: the address for which the real runtime returns the error of an unknown
 * kernel or variable. */
static const void *ckjit_denied(const struct ckjit_thing *t);
/* T is launched, after the search for its code. True: the registry must see each launch
 * (CK_JIT_CAPTURE). */
static bool ckjit_count(struct ckjit_thing *t);

/* ---- registrations ---- */

/* All things by address. Read without a lock and never changed; a registration makes a new one
 * necessary. */
struct ckjit_index {
  size_t n;
  struct ckjit_thing *at[];
};

static const char ckjit_mark;
static struct ckjit_thing *ckjit_things; /* newest first; guarded by the mutex */
static struct ckjit_index *ckjit_index;  /* atomic; NULL: to be made */
static size_t ckjit_nthings;
static struct ckjit_mutex ckjit_registry_mutex = CKJIT_MUTEX;

/* The trampolines look here first: addresses for which nothing needs to be done, each at a place
 * that is computed from it. A search costs a launch 6 ns, this 1. */
__attribute__((visibility("hidden"), used)) const void *ckjit_known[CKJIT_KNOWN]; /* atomic */

/* The trampolines call these. */
__attribute__((visibility("hidden"), used)) const void *ckjit_kernel_need(const void *address);
__attribute__((visibility("hidden"), used)) const void *ckjit_kernel_need_of(const void *params);
__attribute__((visibility("hidden"), used)) const void *ckjit_kernel_need_of_node(const void *node);

/* Without memory the process cannot continue, and the error cannot be returned. */
static void *ckjit_new(size_t size) {
  void *p = calloc(1, size);
  if (!p)
    abort();
  return p;
}

static struct ckjit_module *ckjit_module_new(const void *key) {
  struct ckjit_module *m = ckjit_new(sizeof *m);
  m->mark = &ckjit_mark;
  m->end = &m->things;
  m->key = key;
  return m;
}

/* The module of HANDLE, which host code has; NULL: it is the real runtime's. */
static struct ckjit_module *ckjit_module_of(void **handle) {
  return handle && *handle == &ckjit_mark ? (struct ckjit_module *)(void *)handle : NULL;
}

/* A variable as host code registers it with HANDLE, with the parameters of __cudaRegisterVar and
 * __hipRegisterVar. */
static struct ckjit_thing ckjit_variable(void **handle, const char *host, char *device,
                                         const char *name, int ext, size_t size, int constant,
                                         int global) {
  return (struct ckjit_thing){.module = ckjit_module_of(handle),
                              .host = host,
                              .device = device,
                              .name = name,
                              .variable = true,
                              .ext = ext,
                              .size = size,
                              .constant = constant,
                              .global = global};
}

/* Cached answers about addresses may be stale. An index that was in use stays in memory: it exists
 * only if host code launched before all of the library had registered, or if a program requests
 * kernels by tags. The mutex is held. */
static void ckjit_registry_add_held(const struct ckjit_thing *thing) {
  struct ckjit_thing *t = ckjit_new(sizeof *t);
  *t = *thing;
  t->number = (unsigned)ckjit_nthings++;
  t->earlier = ckjit_things;
  ckjit_things = t;
  if (t->module) {
    *t->module->end = t;
    t->module->end = &t->next;
  }
  if (__atomic_exchange_n(&ckjit_index, NULL, __ATOMIC_ACQ_REL))
    for (size_t i = 0; i < CKJIT_KNOWN; i++)
      __atomic_store_n(&ckjit_known[i], NULL, __ATOMIC_RELEASE);
}

static void ckjit_registry_add(const struct ckjit_thing *thing) {
  ckjit_mutex_lock(&ckjit_registry_mutex);
  ckjit_registry_add_held(thing);
  ckjit_mutex_unlock(&ckjit_registry_mutex);
}

static int ckjit_by_address(const void *a, const void *b) {
  const struct ckjit_thing *x = *(struct ckjit_thing *const *)a,
                           *y = *(struct ckjit_thing *const *)b;
  return x->host != y->host ? (x->host > y->host) - (x->host < y->host)
                            : (x->number > y->number) - (x->number < y->number);
}

/* The mutex is held. */
static const struct ckjit_index *ckjit_index_make(void) {
  struct ckjit_index *index = ckjit_index;
  if (!index) {
    index = ckjit_new(sizeof *index + ckjit_nthings * sizeof *index->at);
    for (struct ckjit_thing *t = ckjit_things; t; t = t->earlier)
      index->at[index->n++] = t;
    qsort(index->at, index->n, sizeof *index->at, ckjit_by_address);
    __atomic_store_n(&ckjit_index, index, __ATOMIC_RELEASE);
  }
  return index;
}

static const struct ckjit_index *ckjit_index_now(void) {
  const struct ckjit_index *index = __atomic_load_n(&ckjit_index, __ATOMIC_ACQUIRE);
  if (index)
    return index;
  ckjit_mutex_lock(&ckjit_registry_mutex);
  index = ckjit_index_make();
  ckjit_mutex_unlock(&ckjit_registry_mutex);
  return index;
}

/* The thing that the host uses ADDRESS for, or NULL. Two units may have instantiated one template,
 * whose kernel then has one address: returns the one that has its code, else the one that was
 * registered first. */
static struct ckjit_thing *ckjit_thing_at(const struct ckjit_index *index, const void *address) {
  size_t low = 0, high = index->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((const void *)index->at[middle]->host < address)
      low = middle + 1;
    else
      high = middle;
  }
  struct ckjit_thing *first =
      low < index->n && index->at[low]->host == address ? index->at[low] : NULL;
  for (; low < index->n && index->at[low]->host == address; low++)
    if (__atomic_load_n(&index->at[low]->ready, __ATOMIC_ACQUIRE))
      return index->at[low];
  return first;
}

/* Host code unregisters M: forget its things, because the real runtime knows none of them. Returns
 * M's registrations, which the caller unregisters and frees. */
static struct ckjit_registered *ckjit_module_leave(struct ckjit_module *m) {
  ckjit_mutex_lock(&ckjit_registry_mutex);
  struct ckjit_registered *r = m->registered;
  m->registered = NULL;
  for (struct ckjit_thing *t = m->things; t; t = t->next)
    __atomic_store_n(&t->ready, 1, __ATOMIC_RELEASE);
  ckjit_mutex_unlock(&ckjit_registry_mutex);
  return r;
}

/* ---- the search for code ---- */

/* Register the fat binary DATA of M with ONE, or with all things that are not registered yet if ONE
 * is NULL. The mutex is held. */
static void ckjit_register(const void *data, struct ckjit_module *m, struct ckjit_thing *one) {
  struct ckjit_registered *r = ckjit_new(sizeof *r);
  const struct ckjit_index *index = ckjit_index_make();
  ckjit_begin(r, data);
  for (struct ckjit_thing *t = m->things; t; t = t->next)
    if (one ? t == one : !t->asked && !ckjit_thing_at(index, t->host)->ready)
      ckjit_add_thing(r, t);
  ckjit_end(r);
  for (struct ckjit_thing *t = m->things; t; t = t->next)
    if (one ? t == one : !t->asked)
      __atomic_store_n(&t->ready, 1, __ATOMIC_RELEASE);
  r->next = m->registered;
  m->registered = r;
}

/* Remember that nothing needs to be done for ADDRESS, by INDEX, unless something was registered
 * since. */
static void ckjit_remember(const struct ckjit_index *index, const void *address) {
  ckjit_mutex_lock(&ckjit_registry_mutex);
  if (index == ckjit_index)
    __atomic_store_n(&ckjit_known[(uintptr_t)address >> CKJIT_KNOWN_SHIFT & (CKJIT_KNOWN - 1)],
                     address, __ATOMIC_RELEASE);
  ckjit_mutex_unlock(&ckjit_registry_mutex);
}

static void ckjit_make_ready(struct ckjit_thing *t) {
  int all = t->variable, none = 0;
  const void *data = all ? NULL : ckjit_find_code(t, t->asked ? t->asked : t->name, &all);
  if (all)
    data = ckjit_find_code(t, "*", &none);
  if (!data)
    return;
  ckjit_mutex_lock(&ckjit_registry_mutex);
  if (!t->ready)
    ckjit_register(data, t->module, all ? NULL : t);
  ckjit_mutex_unlock(&ckjit_registry_mutex);
}

/* The trampolines call it before a function that takes ADDRESS. Returns the address to pass on:
 * ADDRESS, unless its code is not available. */
const void *ckjit_kernel_need(const void *address) {
  const struct ckjit_index *index = ckjit_index_now();
  struct ckjit_thing *t = ckjit_thing_at(index, address);
  bool ready = !t || __atomic_load_n(&t->ready, __ATOMIC_ACQUIRE);
  if (!ready)
    ckjit_make_ready(t);
  if (!(t && ckjit_count(t)) && ready)
    ckjit_remember(index, address);
  return ready || __atomic_load_n(&t->ready, __ATOMIC_ACQUIRE) ? address : ckjit_denied(t);
}

/* ---- calls that take an address ---- */

/* Replaces the caller's structure of an unavailable kernel: the same with a null kernel. */
static const uint64_t ckjit_no_kernel[32];

static bool ckjit_has(const void *kernel) {
  return ckjit_kernel_need(kernel) == kernel;
}

const void *ckjit_kernel_need_of(const void *params) {
  const char *at = params;
  return !at || ckjit_has(*(const void *const *)(const void *)(at + CKJIT_PARAMS_KERNEL))
             ? params
             : ckjit_no_kernel;
}

const void *ckjit_kernel_need_of_node(const void *node) {
  enum { KERNEL = 0, PARAMS = 16 }; /* its first member is the kind of node */
  const int *kind = node;
  bool denied = kind && *kind == KERNEL &&
                ckjit_kernel_need_of((const char *)node + PARAMS) == ckjit_no_kernel;
  return denied ? ckjit_no_kernel : node;
}

struct ckjit_launch { /* hipLaunchParams, cudaLaunchParams */
  const void *kernel;
  uint32_t grid[3], block[3];
  void **args;
  size_t shared;
  void *stream;
};
_Static_assert(sizeof(struct ckjit_launch) == 56, "as in hip_runtime_api.h and driver_types.h");

__attribute__((unused)) static bool ckjit_has_all(const struct ckjit_launch *list, int n) {
  bool all = true;
  for (int i = 0; list && i < n; i++)
    all &= ckjit_has(list[i].kernel);
  return all;
}

#define CKJIT_TEXT_(x) #x
#define CKJIT_TEXT(x) CKJIT_TEXT_(x)

/* CKJIT_CALL_TRAMPOLINE, CKJIT_IS_KNOWN: the argument is a number, from 0 */
#include "ck_jit_machine.h"

#define TAKES(name, arg) CKJIT_CALL_TRAMPOLINE(name, arg, CKJIT_IS_KNOWN(arg), "ckjit_kernel_need")
/* the address of a variable is handled like a kernel's */
#define TAKES_VARIABLE(name, arg) TAKES(name, arg)
#define TAKES_PARAMS(name, arg) CKJIT_CALL_TRAMPOLINE(name, arg, "", "ckjit_kernel_need_of")
#define TAKES_NODE(name, arg) CKJIT_CALL_TRAMPOLINE(name, arg, "", "ckjit_kernel_need_of_node")
#define TAKES_LIST(name) TAKES_LIST_(__COUNTER__, name)
#define TAKES_LIST_(n, name) TAKES_LIST__(n, name)
#define TAKES_LIST__(n, name)                                                                      \
  int ckjit_real_##n(void *list, int count, unsigned flags) __asm__("__real_" name);               \
  __attribute__((visibility("hidden"))) int ckjit_wrap_##n(                                        \
      void *list, int count, unsigned flags) __asm__("__wrap_" name);                              \
  int ckjit_wrap_##n(void *list, int count, unsigned flags) {                                      \
    return ckjit_has_all(list, count)                                                              \
               ? ckjit_real_##n(list, count, flags)                                                \
               : ckjit_real_##n((void *)(uintptr_t)ckjit_no_kernel, 1, flags);                     \
  }

#endif
