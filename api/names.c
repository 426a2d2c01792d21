/* names.c - looks kernels and functions up by name, and finds the names of functions.
 *
 * A library's tables have the hashes of its functions' names. The names are in its dynamic symbol
 * table, because other objects call them; those that it hides are in its tables
 * (postbuild/embed.c). If a version script hides them, they are found in the compiled kernel.
 */
#include "internal.h"

#include "abi/ck_jit_abi.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

static bool find_stem(const struct ckjit_library *l, const char *stem, size_t n, uint32_t *kernel) {
  size_t low = 0, high = l->api.kernels;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *have = l->stems[l->by_stem[middle]];
    int order = strncmp(have, stem, n);
    if (order == 0 && !have[n]) {
      *kernel = l->by_stem[middle];
      return true;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

static bool is_build_id(const char *s, size_t n) {
  return n == 2 * CKJIT_BUILD_ID_SIZE && strspn(s, "0123456789abcdefABCDEF") >= n;
}

/* As core/files/manifest.c does for ckjit-prebuild: a stem, the base name or path of a source, a
 * plain or keyed name in a cache. */
bool names_kernel(const struct ckjit_library *l, const char *name, uint32_t *kernel) {
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
  size_t n = strlen(base);
  if (find_stem(l, base, n, kernel))
    return true;
  const char *dot = memrchr(base, '.', n);
  if (!dot || dot == base)
    return false;
  n = (size_t)(dot - base);
  if (find_stem(l, base, n, kernel))
    return true;
  const char *key = memrchr(base, '.', n);
  return key && is_build_id(key + 1, (size_t)(base + n - key - 1)) &&
         find_stem(l, base, (size_t)(key - base), kernel);
}

/* ---- functions ---- */

/* The function whose name hashes to HASH, or NULL. */
static struct function *find_hash(const struct ckjit_library *l, uint64_t hash) {
  size_t low = 0, high = l->api.functions;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    struct function *f = &l->functions[l->by_hash[middle]];
    if (f->hash == hash)
      return f;
    if (f->hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* The lock is taken for each name, not around the whole: reading an object's names asks the dynamic
 * linker for them, which may wait for a constructor that opens a library here. */
static bool take_symbol(const char *name, void *user) {
  struct function *f = find_hash(user, ckjit_fnv1a(name, strlen(name)));
  lock();
  if (f && !f->symbol)
    f->symbol = name;
  unlock();
  return true;
}

/* A compiled kernel may be unloaded before the library is. */
static bool learn_symbol(const char *name, void *user) {
  struct function *f = find_hash(user, ckjit_fnv1a(name, strlen(name)));
  lock();
  if (f && !f->symbol)
    f->symbol = f->learnt = strdup(name);
  unlock();
  return true;
}

void names_learn(struct ckjit_library *l, uint32_t kernel, void *dl) {
  bool known = true;
  lock();
  for (uint32_t f = l->first[kernel]; f < l->first[kernel + 1]; f++)
    known &= l->functions[f].symbol != NULL;
  unlock();
  if (!known)
    l->api.each_symbol(dl, learn_symbol, l);
}

/* Read the names that L itself has, unless that was done. Two threads may do it at once, with the
 * same result. */
static void name_all(struct ckjit_library *l) {
  lock();
  bool named = l->named;
  for (uint32_t f = 0; f < l->api.functions && !named; f++) {
    uint64_t hash;
    const char *name;
    l->api.function(l->number[f], &hash, &name);
    if (*name)
      l->functions[f].symbol = name;
  }
  unlock();
  if (named)
    return;
  l->api.each_symbol(l->dl, take_symbol, l);
  lock();
  l->named = true;
  unlock();
}

typedef char *demangler(const char *, char *, size_t *, int *);

int ckjit_function_info(ckjit_library *l, uint32_t kernel, uint32_t index,
                        struct ckjit_function_info *info, char **error) {
  if (!l || !info || info->size != sizeof *info)
    return fail(error, CKJIT_E_INVALID,
                "ckjit_function_info: expected a library and an info whose size is set to %zu",
                sizeof(struct ckjit_function_info));
  int status = kernel_check(l, kernel, error);
  if (status)
    return status;
  if (index >= l->first[kernel + 1] - l->first[kernel])
    return fail(error, CKJIT_E_NOT_FOUND, "%s: there is no function %u: it has %u",
                l->stems[kernel], index, l->first[kernel + 1] - l->first[kernel]);
  name_all(l);
  struct function *f = &l->functions[l->first[kernel] + index];
  lock();
  const char *symbol = f->symbol;
  bool known = f->demangled || !symbol;
  unlock();
  /* The demangler of the C++ library that the library is linked with: libckjit is linked with
   * none. */
  demangler *demangle = known ? NULL : (demangler *)(uintptr_t)dlsym(l->dl, "__cxa_demangle");
  char *demangled = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
  lock();
  if (!f->demangled) {
    f->demangled = demangled;
    demangled = NULL;
  }
  info->symbol = f->symbol;
  info->demangled = f->demangled;
  info->hash = f->hash;
  unlock();
  free(demangled); /* another thread was faster */
  return CKJIT_OK;
}

int ckjit_find(ckjit_library *l, const char *name, uint32_t *kernel, uint32_t *function,
               char **error) {
  if (!l || !name || !kernel)
    return fail(error, CKJIT_E_INVALID,
                "ckjit_find: expected a library, a name and where to put the kernel");
  const struct function *f = NULL;
  if (!names_kernel(l, name, kernel)) {
    f = find_hash(l, ckjit_fnv1a(name, strlen(name)));
    if (!f)
      return fail(
          error, CKJIT_E_NOT_FOUND,
          "%s: there is no kernel '%s', and no function of that mangled name, among its %u kernels",
          l->path, name, l->api.kernels);
    *kernel = f->kernel;
  }
  if (function)
    *function = f ? (uint32_t)(f - l->functions) - l->first[f->kernel] : CKJIT_NO_FUNCTION;
  return CKJIT_OK;
}
