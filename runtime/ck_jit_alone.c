/* ck_jit_alone.c - loads the functions of a HIP blob that launch no kernel, without the blob's
 * kernels. */
#include "ck_jit_alone.h"
#include "ck_jit_artefact.h"
#include "ck_jit_entry.h"
#include "ck_jit_load.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"
#include "ck_jit_symbols.h"
#include "ck_jit_table.h"
#include "ck_jit_together.h"
#include "ck_jit_unlinked.h"

#include <dlfcn.h>

/* Settings that remove a blob from the table, or make each call look at the cache, apply to whole
 * blobs. */
void ckjit_want_function(struct ckjit_wanted *w, uint32_t f) {
  if (CKJIT_CUDA || w->unlinked || ckjit_memory_off() || ckjit_memory_max(NULL))
    return;
  if (ckjit_kernels_apart() && !ckjit_row_of(w->blob))
    w->function = ckjit_functions[f].hash;
  w->called = f;
}

/* ---- functions by name ---- */

/* Does the list of parameters from S to END, as the C++ library writes it, have numbers only? */
static bool ckjit_only_numbers(const char *s, const char *end) {
  static const char *const words[] = {"bool",  "char",   "short",  "int",      "long",
                                      "float", "double", "signed", "unsigned", "void"};
  for (size_t n; s < end; s += n) {
    bool known = false;
    n = strspn(s, ", ");
    if (n)
      continue;
    n = strcspn(s, ", )");
    for (size_t i = 0; i < sizeof words / sizeof *words && !known; i++)
      known = strlen(words[i]) == n && strncmp(s, words[i], n) == 0;
    if (!known)
      return false;
  }
  return true;
}

/* NAME is demangled and ends with the parameters, which have no parentheses if they are numbers. */
static bool ckjit_takes_numbers(const char *name) {
  size_t n = strlen(name);
  const char *open = strrchr(name, '(');
  return n && name[n - 1] == ')' && open && open != name &&
         ckjit_only_numbers(open + 1, name + n - 1);
}

bool ckjit_hardly_launches(const struct ckjit_wanted *w) {
  const struct ckjit_function *f = &ckjit_functions[w->called];
  void *library =
      !f->name && w->library.data ? dlopen(w->library.data, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  size_t functions;
  const char *mangled = f->name   ? ckjit_string(f->name)
                        : library ? ckjit_function_name(library, f->hash, &functions)
                                  : NULL;
  struct ckjit_text name = {0};
  bool numbers = false;
  if (mangled) {
    ckjit_add_demangled(&name, mangled);
    numbers = name.data && ckjit_takes_numbers(name.data);
  }
  ckjit_text_free(&name);
  if (library)
    dlclose(library);
  return numbers;
}

/* ---- loaded entries ---- */

static bool ckjit_defines(void *handle, uint32_t f) {
  size_t functions;
  const char *name =
      handle ? ckjit_function_name(handle, ckjit_functions[f].hash, &functions) : NULL;
  return name && dlsym(handle, name);
}

void *ckjit_alone_loaded(uint32_t f) {
  void *handle =
      __atomic_load_n(&ckjit_blob_states[ckjit_functions[f].blob].alone, __ATOMIC_ACQUIRE);
  return !ckjit_memory_off() && ckjit_defines(handle, f) ? handle : NULL;
}

bool ckjit_is_alone(uint32_t blob, const void *handle) {
  return __atomic_load_n(&ckjit_blob_states[blob].alone, __ATOMIC_RELAXED) == handle;
}

/* Load the entry of W in the cache DIR, if it exists. */
static void ckjit_alone_load_from(const struct ckjit_wanted *w, const struct ckjit_text *dir) {
  char path[PATH_MAX];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct ckjit_text below = {0}, error = {0};
  const char *why;
  struct ckjit_kept kept = {.settle = ckjit_unlinked_settle};
  void *handle = NULL, *none = NULL;
  if (!dir->len)
    return;
  uint64_t traced = ckjit_span_start();
  ckjit_addf(&below, "%s/" CKJIT_HOST, dir->data);
  ckjit_artefact_id(id, CKJIT_KIND_FUNCTIONS, ckjit_blobs[w->blob].key, w->archs);
  if (ckjit_whole(&below) &&
      ckjit_entry_find_open(path, below.data, w->stem, w->stem_len, id, &kept, &why))
    handle = ckjit_load_kept(path, kept.fd, 0, id, &error);
  if (handle) {
    ckjit_tell(w, "loaded from %s", path);
    if (!__atomic_compare_exchange_n(&ckjit_blob_states[w->blob].alone, &none, handle, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      dlclose(handle); /* another thread was first */
    ckjit_span_end(w, "load", traced, "file", path);
    if (dir == &w->cache) /* time of the last use, for CK_JIT_CACHE_MAX_SIZE */
      utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
  } else if (error.len) {
    ckjit_tell(w, "%s", error.data);
  }
  ckjit_text_free(&below);
  ckjit_text_free(&error);
}

void *ckjit_alone_load(const struct ckjit_wanted *w, uint32_t f) {
  uint8_t own[CKJIT_BUILD_ID_SIZE];
  ckjit_artefact_id(own, CKJIT_KIND_BLOB, ckjit_blobs[w->blob].key, w->archs);
  if (!w->function || memcmp(w->id, own, sizeof own) != 0)
    return NULL; /* another compiler or other headers have made its kernels meanwhile */
  const struct ckjit_text *dirs[] = {ckjit_never_compiles() ? &w->readonly : &w->cache, &w->cache};
  for (int i = 0; i < 2 && !__atomic_load_n(&ckjit_blob_states[w->blob].alone, __ATOMIC_ACQUIRE);
       i++)
    ckjit_alone_load_from(w, dirs[i]);
  return ckjit_alone_loaded(f);
}

void ckjit_alone_outdated(const struct ckjit_wanted *w) {
  uint8_t own[CKJIT_BUILD_ID_SIZE];
  ckjit_artefact_id(own, CKJIT_KIND_BLOB, ckjit_blobs[w->blob].key, w->archs);
  if (memcmp(own, w->id, sizeof own) != 0 &&
      __atomic_exchange_n(&ckjit_blob_states[w->blob].alone, NULL, __ATOMIC_ACQ_REL))
    ckjit_clear(w->blob);
}
