/* library.c - opens libraries, and queries their kernels.
 *
 * A library that is open has one object, however often and by whatever name it was opened: dlopen's
 * handle identifies it. The object is made from the tables of the library's runtime, without the
 * lock, because that asks the dynamic linker; if another thread was faster its object is used. All
 * who opened the library own it, and so do its handles and batches; the last owner returns dlopen's
 * reference.
 */
#include "internal.h"

#include "abi/ck_jit_origin.h"

#include <stdlib.h>
#include <string.h>

/* ---- the lock ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ckjit_library *libraries;

/* A fork waits for the lock, so that the child does not find it held by a thread that it does not
 * have. */
static void prepare(void) {
  pthread_atfork(lock, unlock, unlock);
}

void lock(void) {
  pthread_mutex_lock(&mutex);
}

void unlock(void) {
  pthread_mutex_unlock(&mutex);
}

/* ---- making a library ---- */

static void library_free(struct ckjit_library *l) {
  for (uint32_t k = 0; k < l->api.kernels; k++) {
    if (l->stems)
      free(l->stems[k]);
    if (l->texts) {
      l->api.free_text(l->texts[k].source);
      l->api.free_text(l->texts[k].archs);
      l->api.free_text(l->texts[k].build_id);
    }
  }
  for (uint32_t f = 0; l->functions && f < l->api.functions; f++) {
    free(l->functions[f].learnt);
    free(l->functions[f].demangled);
  }
  free(l->stems);
  free(l->texts);
  free(l->functions);
  free(l->number);
  free(l->first);
  free(l->by_stem);
  free(l->by_hash);
  free(l->path);
  free(l);
}

static bool copy_stems(struct ckjit_library *l) {
  for (uint32_t k = 0; k < l->api.kernels; k++) {
    size_t n;
    const char *stem = l->api.stem(k, &n);
    if (!(l->stems[k] = strndup(stem, n)))
      return false;
  }
  return true;
}

/* The functions, sorted by kernel. */
static void copy_functions(struct ckjit_library *l) {
  const char *name;
  uint64_t hash;
  for (uint32_t f = 0; f < l->api.functions; f++)
    l->first[l->api.function(f, &hash, &name) + 1]++;
  for (uint32_t k = 0; k < l->api.kernels; k++)
    l->first[k + 1] += l->first[k];
  for (uint32_t f = 0; f < l->api.functions; f++) {
    uint32_t kernel = l->api.function(f, &hash, &name), at = l->first[kernel]++;
    l->functions[at] = (struct function){.kernel = kernel, .hash = hash};
    l->number[at] = f;
  }
  memmove(l->first + 1, l->first,
          l->api.kernels * sizeof *l->first); /* each is at its end: the start of the next */
  l->first[0] = 0;
}

static int compare_stems(const void *a, const void *b, void *user) {
  char *const *stems = user;
  return strcmp(stems[*(const uint32_t *)a], stems[*(const uint32_t *)b]);
}

static int compare_hashes(const void *a, const void *b, void *user) {
  const struct function *functions = user;
  uint64_t x = functions[*(const uint32_t *)a].hash, y = functions[*(const uint32_t *)b].hash;
  return (x > y) - (x < y);
}

static uint32_t *count_up(size_t n) {
  uint32_t *list = calloc(n + 1, sizeof *list);
  for (size_t i = 0; list && i < n; i++)
    list[i] = (uint32_t)i;
  return list;
}

/* Sort the arrays for look-ups by name (names.c); false: no memory. */
static bool sort_names(struct ckjit_library *l) {
  l->by_stem = count_up(l->api.kernels);
  l->by_hash = count_up(l->api.functions);
  if (!l->by_stem || !l->by_hash)
    return false;
  qsort_r(l->by_stem, l->api.kernels, sizeof *l->by_stem, compare_stems, l->stems);
  qsort_r(l->by_hash, l->api.functions, sizeof *l->by_hash, compare_hashes, l->functions);
  return true;
}

static bool fill(struct ckjit_library *l) {
  const size_t kernels = l->api.kernels, functions = l->api.functions;
  l->stems = calloc(kernels + 1, sizeof *l->stems);
  l->texts = calloc(kernels + 1, sizeof *l->texts);
  l->first = calloc(kernels + 2, sizeof *l->first);
  l->functions = calloc(functions + 1, sizeof *l->functions);
  l->number = calloc(functions + 1, sizeof *l->number);
  if (!l->stems || !l->texts || !l->first || !l->functions || !l->number || !copy_stems(l))
    return false;
  copy_functions(l);
  return sort_names(l);
}

/* The file from which the object of DL was loaded; NAME if that is not known. */
static char *path_of(void *dl, const char *name) {
  char file[CKJIT_ORIGIN_SIZE];
  struct link_map *map;
  if (dlinfo(dl, RTLD_DI_LINKMAP, &map) == 0 && ckjit_loaded_as(map, file))
    name = file;
  char *absolute = realpath(name, NULL);
  return absolute ? absolute : strdup(name);
}

/* The library of DL, whose reference this takes over; NAME is for messages. */
static int library_of(void *dl, const char *name, ckjit_library **library, char **error) {
  pthread_once(&once, prepare);
  lock();
  struct ckjit_library *l = libraries;
  while (l && l->dl != dl)
    l = l->next;
  if (l)
    l->owners++;
  unlock();
  if (l) {
    dlclose(dl);
    *library = l;
    return CKJIT_OK;
  }
  l = calloc(1, sizeof *l);
  int status = l ? note_find(dl, name, &l->api, error)
                 : fail(error, CKJIT_E_MEMORY, "%s: out of memory", name);
  if (!status && (!(l->path = path_of(dl, name)) || !fill(l))) {
    status = fail(error, CKJIT_E_MEMORY, "%s: out of memory", name);
    library_free(l);
    l = NULL;
  }
  if (status) {
    free(l);
    dlclose(dl);
    return status;
  }
  l->dl = dl;
  l->owners = 1;
  lock();
  struct ckjit_library *other = libraries; /* another thread may have opened it meanwhile */
  while (other && other->dl != dl)
    other = other->next;
  if (other) {
    other->owners++;
  } else {
    l->next = libraries;
    libraries = l;
  }
  unlock();
  if (other) {
    library_free(l);
    dlclose(dl);
  }
  *library = other ? other : l;
  return CKJIT_OK;
}

/* ---- opening ---- */

struct by_base {
  const char *base;
  char *path;
};

static int look_for_base(struct dl_phdr_info *info, size_t size, void *user) {
  struct by_base *b = user;
  (void)size;
  const char *slash = strrchr(info->dlpi_name, '/');
  if (!slash || strcmp(slash + 1, b->base) != 0)
    return 0;
  b->path = strdup(info->dlpi_name);
  return 1;
}

/* A loaded library by its base name: Python loads by whole paths, and users know only the name
 * within a package. */
static void *open_loaded(const char *path, int flags) {
  void *dl = dlopen(path, flags | RTLD_NOLOAD);
  struct by_base b = {path, NULL};
  if (dl || !path || strchr(path, '/'))
    return dl;
  dl_iterate_phdr(look_for_base, &b);
  dl = b.path ? dlopen(b.path, flags | RTLD_NOLOAD) : NULL;
  free(b.path);
  return dl;
}

int ckjit_open(const char *path, unsigned flags, ckjit_library **library, char **error) {
  const unsigned known = CKJIT_OPEN_LOADED | CKJIT_OPEN_GLOBAL;
  if (!library || (flags & ~known) || (path && !*path))
    return fail(
        error, CKJIT_E_INVALID,
        "ckjit_open: expected a path, flags of ckjit_open_flags and where to put the library");
  const char *name = path ? path : "the program";
  int mode = RTLD_NOW | (flags & CKJIT_OPEN_GLOBAL ? RTLD_GLOBAL : RTLD_LOCAL);
  bool only_loaded = flags & CKJIT_OPEN_LOADED;
  void *dl = only_loaded ? open_loaded(path, mode) : dlopen(path, mode);
  if (!dl) {
    const char *why = dlerror();
    return only_loaded
               ? fail(error, CKJIT_E_OPEN, "%s: this process has not loaded such a library", name)
               : fail(error, CKJIT_E_OPEN, "%s: cannot be loaded: %s", name,
                      why ? why : "no reason is known");
  }
  return library_of(dl, name, library, error);
}

int ckjit_open_address(const void *address, ckjit_library **library, char **error) {
  Dl_info info;
  struct link_map *map;
  if (!library)
    return fail(error, CKJIT_E_INVALID, "ckjit_open_address: expected where to put the library");
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
    return fail(error, CKJIT_E_OPEN, "no library of this process has the address %p", address);
  const char *path = map->l_name[0] ? map->l_name : NULL;
  void *dl = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  return dl ? library_of(dl, path ? path : "the program", library, error)
            : fail(error, CKJIT_E_OPEN, "%s: cannot be opened: %s", info.dli_fname, dlerror());
}

void library_retain(struct ckjit_library *l) {
  lock();
  l->owners++;
  unlock();
}

void ckjit_close(ckjit_library *l) {
  if (!l)
    return;
  lock();
  bool last = --l->owners == 0;
  struct ckjit_library **at = &libraries;
  while (last && *at != l)
    at = &(*at)->next;
  if (last)
    *at = l->next;
  unlock();
  if (!last)
    return;
  void *dl = l->dl;
  library_free(l); /* the library frees its texts */
  dlclose(dl);
}

int ckjit_set_logger(ckjit_library *l, ckjit_logger logger, void *user, char **error) {
  _Static_assert((int)CKJIT_PROGRESS == CKJIT_SAYS_PROGRESS && (int)CKJIT_NOTE == CKJIT_SAYS_NOTE &&
                     (int)CKJIT_WARNING == CKJIT_SAYS_WARNING &&
                     (int)CKJIT_ERROR == CKJIT_SAYS_ERROR,
                 "the runtime's severities are those of ckjit.h");
  if (!l)
    return fail(error, CKJIT_E_INVALID, "ckjit_set_logger: expected a library");
  return l->api.set_logger(logger, user)
             ? CKJIT_OK
             : fail(error, CKJIT_E_INVALID, "ckjit_set_logger: called by a logger of %s", l->path);
}

int ckjit_set_cache_dir(ckjit_library *l, const char *dir, char **error) {
  if (!l)
    return fail(error, CKJIT_E_INVALID, "ckjit_set_cache_dir: expected a library");
  return l->api.set_cache(dir) ? CKJIT_OK
                               : fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->path);
}

/* ---- queries ---- */

const char *ckjit_library_path(const ckjit_library *l) {
  return l->path;
}

uint32_t ckjit_kernel_count(const ckjit_library *l) {
  return l->api.kernels;
}

int kernel_check(const struct ckjit_library *l, uint32_t kernel, char **error) {
  return kernel < l->api.kernels
             ? CKJIT_OK
             : fail(error, CKJIT_E_NOT_FOUND, "%s: there is no kernel %u: it has %u", l->path,
                    kernel, l->api.kernels);
}

/* Set *TEXT, if it is not known yet, to ASK's answer for KERNEL. The runtime is asked without the
 * lock: it asks the dynamic linker, which may wait for a constructor that opens a library here. */
static void keep_text(ckjit_library *l, char **text, char *(*ask)(uint32_t), uint32_t kernel) {
  lock();
  bool known = *text;
  unlock();
  if (known)
    return;
  char *new = ask(kernel);
  lock();
  bool first = !*text;
  if (first)
    *text = new;
  unlock();
  if (!first)
    l->api.free_text(new);
}

int ckjit_kernel_info(ckjit_library *l, uint32_t kernel, struct ckjit_kernel_info *info,
                      char **error) {
  if (!l || !info || info->size != sizeof *info)
    return fail(error, CKJIT_E_INVALID,
                "ckjit_kernel_info: expected a library and an info whose size is set to %zu",
                sizeof(struct ckjit_kernel_info));
  int status = kernel_check(l, kernel, error);
  if (status)
    return status;
  struct texts *t = &l->texts[kernel];
  keep_text(l, &t->source, l->api.source, kernel);
  keep_text(l, &t->archs, l->api.archs, kernel);
  keep_text(l, &t->build_id, l->api.build_id, kernel);
  lock();
  *info = (struct ckjit_kernel_info){.size = sizeof *info,
                                     .stem = l->stems[kernel],
                                     .source = t->source,
                                     .archs = t->archs,
                                     .build_id = t->build_id,
                                     .functions = l->first[kernel + 1] - l->first[kernel]};
  unlock();
  return info->source && info->archs && info->build_id
             ? CKJIT_OK
             : fail(error, CKJIT_E_MEMORY, "%s: out of memory", info->stem);
}
