/* kernel.c - states, and compiling one kernel.
 *
 * The library's runtime does both (abi/ck_jit_api.h); this file checks arguments and makes handles
 * of compiled kernels. Handles of cached code share it, and it stays loaded; the handle of a
 * CKJIT_FRESH compile is the only owner of its code.
 */
#include "internal.h"
#include "abi/ck_jit_protocol.h"

#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

int ckjit_states(ckjit_library *l, const uint32_t *kernels, size_t n, uint8_t *states,
                 char **error) {
  if (!l || (n && !states))
    return fail(error, CKJIT_E_INVALID,
                "ckjit_states: expected a library and where to put the states");
  if (!kernels && n > l->api.kernels)
    return fail(error, CKJIT_E_INVALID, "ckjit_states: %zu kernels were asked for, %s has %u", n,
                l->path, l->api.kernels);
  int status = CKJIT_OK;
  for (size_t i = 0; kernels && i < n && !status; i++)
    status = kernel_check(l, kernels[i], error);
  if (status || !n)
    return status;
  uint32_t *all = kernels ? NULL : calloc(n, sizeof *all);
  if (!kernels && !all)
    return fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->path);
  for (size_t i = 0; all && i < n; i++)
    all[i] = (uint32_t)i;
  char *why = NULL;
  if (!l->api.states(kernels ? kernels : all, n, states, &why))
    status = fail_with(error, CKJIT_E_FAILED, l, why);
  free(all);
  return status;
}

int ckjit_state(ckjit_library *l, uint32_t kernel, int *state, char **error) {
  uint8_t one = CKJIT_ABSENT;
  if (!state)
    return fail(error, CKJIT_E_INVALID, "ckjit_state: expected where to put the state");
  int status = ckjit_states(l, &kernel, 1, &one, error);
  *state = one;
  return status;
}

/* ---- options ---- */

int options_read(struct ckjit_options *options, const struct ckjit_options *given, char **error) {
  *options = (struct ckjit_options){.size = sizeof *options};
  if (!given)
    return CKJIT_OK;
  if (given->size != sizeof *options)
    return fail(error, CKJIT_E_INVALID, "the size in ckjit_options is %zu: expected sizeof, %zu",
                given->size, sizeof *options);
  *options = *given;
  const unsigned known = CKJIT_FRESH | CKJIT_STORE_ONLY;
  if ((options->flags & ~known) || options->flags == known)
    return fail(error, CKJIT_E_INVALID,
                "flags 0x%x in ckjit_options: expected 0, CKJIT_FRESH or CKJIT_STORE_ONLY",
                options->flags);
  if (!(options->flags & CKJIT_FRESH) && (options->compiler_flags || options->archs))
    return fail(error, CKJIT_E_INVALID,
                "compiler_flags and archs in ckjit_options are for CKJIT_FRESH only: the library's "
                "own calls cannot use their result");
  return CKJIT_OK;
}

/* ---- compiling ---- */

static ckjit_handle *handle_new(ckjit_library *l, uint32_t kernel, void *dl, bool fresh) {
  ckjit_handle *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  *h = (ckjit_handle){.owners = 1, .library = l, .kernel = kernel, .dl = dl, .fresh = fresh};
  library_retain(l);
  return h;
}

/* The status of a failed compile: CK_JIT_ON_MISS=error made it fail if no entry could be loaded, or
 * if a FRESH one was requested. The runtime uses the same variable. */
int compile_failure(ckjit_library *l, uint32_t kernel, bool fresh) {
  if (!ckjit_miss_is_error(secure_getenv("CK_JIT_ON_MISS")))
    return CKJIT_E_FAILED;
  int state = CKJIT_ABSENT;
  int status = fresh ? CKJIT_OK : ckjit_state(l, kernel, &state, NULL);
  bool there = state == CKJIT_CACHED || state == CKJIT_LOADED || state == CKJIT_LINKED;
  return status || there ? CKJIT_E_FAILED : CKJIT_E_MISS;
}

static int store(ckjit_library *l, uint32_t kernel, char **error) {
  char *why = NULL;
  return l->api.store(kernel, &why) ? CKJIT_OK
                                    : fail_with(error, compile_failure(l, kernel, false), l, why);
}

int ckjit_compile(ckjit_library *l, uint32_t kernel, const struct ckjit_options *given,
                  ckjit_handle **handle, char **error) {
  struct ckjit_options options;
  char *why = NULL;
  if (!l)
    return fail(error, CKJIT_E_INVALID, "ckjit_compile: expected a library");
  int status = options_read(&options, given, error);
  if (!status)
    status = kernel_check(l, kernel, error);
  if (status)
    return status;
  bool fresh = options.flags & CKJIT_FRESH;
  if (handle)
    *handle = NULL;
  if (options.flags & CKJIT_STORE_ONLY)
    return store(l, kernel, error);
  void *dl = fresh ? l->api.fresh(kernel, options.compiler_flags, options.archs, &why)
                   : l->api.load(kernel, &why);
  if (!dl)
    return fail_with(error, compile_failure(l, kernel, fresh), l, why);
  names_learn(l, kernel, dl);
  if (handle)
    *handle = handle_new(l, kernel, dl, fresh);
  if (fresh && !(handle && *handle))
    l->api.close(dl);
  return handle && !*handle ? fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->stems[kernel])
                            : CKJIT_OK;
}

/* ---- handles ---- */

int ckjit_handle_function(ckjit_handle *h, uint32_t index, void **address, char **error) {
  if (!h || !address)
    return fail(error, CKJIT_E_INVALID,
                "ckjit_handle_function: expected a handle and where to put the address");
  const ckjit_library *l = h->library;
  uint32_t first = l->first[h->kernel], n = l->first[h->kernel + 1] - first;
  if (index >= n)
    return fail(error, CKJIT_E_NOT_FOUND, "%s: there is no function %u: it has %u",
                l->stems[h->kernel], index, n);
  char *why = NULL;
  *address = l->api.address(l->number[first + index], h->dl, &why);
  return *address ? CKJIT_OK : fail_with(error, CKJIT_E_FAILED, l, why);
}

int ckjit_handle_symbol(ckjit_handle *h, const char *symbol, void **address, char **error) {
  uint32_t kernel, function;
  if (!h || !symbol)
    return fail(error, CKJIT_E_INVALID, "ckjit_handle_symbol: expected a handle and a symbol");
  int status = ckjit_find(h->library, symbol, &kernel, &function, NULL);
  if (status || kernel != h->kernel || function == CKJIT_NO_FUNCTION)
    return fail(error, CKJIT_E_NOT_FOUND, "%s: it has no function with the mangled name '%s'",
                h->library->stems[h->kernel], symbol);
  return ckjit_handle_function(h, function, address, error);
}

uint32_t ckjit_handle_kernel(const ckjit_handle *h) {
  return h->kernel;
}

ckjit_library *ckjit_handle_library(const ckjit_handle *h) {
  return h->library;
}

ckjit_handle *ckjit_handle_retain(ckjit_handle *h) {
  __atomic_fetch_add(&h->owners, 1, __ATOMIC_RELAXED);
  return h;
}

void ckjit_handle_release(ckjit_handle *h) {
  if (!h || __atomic_sub_fetch(&h->owners, 1, __ATOMIC_ACQ_REL))
    return;
  if (h->fresh)
    h->library->api.close(h->dl);
  ckjit_close(h->library);
  free(h);
}
