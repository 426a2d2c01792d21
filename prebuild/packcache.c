/* packcache.c - the entries of a cache, without a manifest.
 *
 * A pack contains, for each entry, the architectures and the kind. A build id has only a hash of
 * that, but the code in the entries shows which architectures there are. So each list of
 * architectures that is found is tried with each kind; the right one has the hash in the build id.
 * Entries that no list explains are omitted: another compiler or other headers made them, and their
 * build ids have another hash (compile/variant.c). */
#include "packcache.h"
#include "archs.h"
#include "entryfile.h"
#include "tell/entries.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/cache/artefact.h"
#include "abi/ck_jit_arch.h"

#include <dirent.h>

/* ---- lists of architectures ---- */

/* Append the words of the LEN bytes at TEXT that begin with PREFIX, letters and digits. */
static void add_words(struct argv *words, const char *text, size_t len, const char *prefix) {
  size_t n = strlen(prefix);
  const char *end = text + len;
  for (const char *at = text; (at = memmem(at, (size_t)(end - at), prefix, n)); at += n) {
    size_t digits = 0;
    while (at + n + digits < end &&
           strchr("0123456789abcdefghijklmnopqrstuvwxyz", at[n + digits]) && at[n + digits])
      digits++;
    argv_add_once(words, xstrndup(at, n + digits));
  }
}

/* For CUDA: each architecture by itself, and code for one that is made from another. */
static void add_cuda(struct argv *lists, const struct argv *real, const struct argv *virtual) {
  for (size_t i = 0; i < real->n; i++) {
    argv_add_once(lists, xstrdup(real->args[i]));
    for (size_t k = 0; k < virtual->n; k++)
      argv_add_once(lists, xasprintf("%s:%s", real->args[i], virtual->args[k]));
  }
  for (size_t i = 0; i < virtual->n; i++)
    argv_add_once(lists, xstrdup(virtual->args[i]));
}

/* Add the targets of the steps of an entry without kernels. */
static void add_of_steps(struct argv *lists, const char *file) {
  struct entry_file f;
  struct elf_section s;
  autofree_argv real = {0}, virtual = {0};
  if (!entry_open(&f, file))
    return;
  if (entry_section(&f, ".ckjit.steps", &s)) {
    add_words(&real, (const char *)s.data, s.size, "sm_");
    add_words(&virtual, (const char *)s.data, s.size, "compute_");
  }
  add_cuda(lists, &real, &virtual);
  entry_close(&f);
}

/* Add all targets of the code in FILE. */
static void add_of_code(struct argv *lists, const char *file) {
  autofree_argv archs = {0}, real = {0}, virtual = {0};
  autofree_buf all = {0};
  entry_archs(&archs, file);
  for (size_t i = 0; i < archs.n; i++) {
    buf_printf(&all, "%s%s", i ? ";" : "", archs.args[i]);
    argv_add(str_starts(archs.args[i], "compute_") ? &virtual : &real, archs.args[i]);
  }
  if (archs.n)
    argv_add_once(lists, xstrdup(all.data));
  if (archs.n && ckjit_archs_are_cuda(all.data))
    add_cuda(lists, &real, &virtual);
}

static void add_of_cache(struct argv *lists, const char *dir) {
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    struct artefact_name a;
    autofree char *file = artefact_name_read(&a, e->d_name) ? path_join(dir, e->d_name) : NULL;
    if (file) {
      add_of_code(lists, file);
      add_of_steps(lists, file);
    }
  }
  if (d)
    closedir(d);
}

/* ---- entries ---- */

/* The one of LISTS that explains the build id ID of an entry of STEM; NULL: none does. */
static const char *list_of(const uint8_t id[CKJIT_BUILD_ID_SIZE], enum ckjit_kind kind,
                           const char *stem, const struct argv *lists) {
  uint8_t tried[CKJIT_BUILD_ID_SIZE];
  for (size_t i = 0; i < lists->n; i++)
    if (pack_build_id(tried, id, lists->args[i], kind, stem) &&
        memcmp(tried, id, sizeof tried) == 0)
      return lists->args[i];
  return NULL;
}

/* The names in DIR, sorted; it is read once. */
static const struct argv *names_in(const char *dir) {
  static struct argv names;
  static char *of;
  if (of && strcmp(of, dir) == 0)
    return &names;
  free(of);
  of = xstrdup(dir);
  argv_free(&names);
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));)
    argv_add(&names, e->d_name);
  if (d)
    closedir(d);
  argv_sort(&names);
  return &names;
}

/* The first of the sorted NAMES that does not come before TEXT. */
static size_t first_from(const struct argv *names, const char *text) {
  size_t low = 0, high = names->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(names->args[middle], text) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Is FILE an entry with KEY that neither LISTS nor its code explain? */
static bool is_variant(const char *file, const uint8_t key[CKJIT_KEY_SIZE],
                       const struct argv *lists) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  enum ckjit_kind kind;
  const char *why;
  struct artefact_name a;
  autofree_argv all = {0};
  if (ckjit_entry_open(file, id, &kind, &why) != CKJIT_ENTRY_OTHER ||
      memcmp(id, key, CKJIT_KEY_SIZE) != 0 || !artefact_name_read(&a, path_base(file)))
    return false;
  autofree char *stem = xstrndup(path_base(file), a.len);
  if (lists->n)
    argv_add_all(&all, lists->args);
  add_of_code(&all, file);
  add_of_steps(&all, file);
  return !list_of(id, kind, stem, &all);
}

bool packcache_has_variant(const char *dir, const char *stem, const uint8_t key[CKJIT_KEY_SIZE],
                           const struct argv *lists) {
  const struct argv *names = names_in(dir);
  size_t n = strlen(stem);
  bool has = false;
  for (size_t i = first_from(names, stem); i < names->n && !has && str_starts(names->args[i], stem);
       i++) {
    struct artefact_name a;
    autofree char *file = path_join(dir, names->args[i]);
    has = artefact_name_read(&a, names->args[i]) && (a.len == n || a.stem == n) &&
          is_variant(file, key, lists);
  }
  return has;
}

/* Add NAME in DIR; false: it is a good entry that LISTS do not explain. */
static bool add_file(struct pack *p, const char *dir, const char *name, const struct argv *lists) {
  struct artefact_name a;
  char path[PATH_MAX];
  uint8_t id[CKJIT_BUILD_ID_SIZE] = {0};
  enum ckjit_kind kind;
  const char *why = NULL;
  if (!artefact_name_read(&a, name))
    return true;
  autofree char *file = path_join(dir, name), *stem = xstrndup(name, a.len);
  /* No id is wanted; the entry is good if a call would find it by its id. */
  bool good = ckjit_entry_open(file, id, &kind, &why) != CKJIT_ENTRY_OTHER ||
              !ckjit_entry_find(path, dir, stem, a.len, id, &why);
  const char *list = good ? NULL : list_of(id, kind, stem, lists);
  if (list)
    pack_add(p, path, stem, list, kind, id);
  good |= list != NULL;
  return good;
}

static size_t add_cache(struct pack *p, const char *dir, const struct argv *lists) {
  size_t others = 0;
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));)
    others += !add_file(p, dir, e->d_name, lists);
  if (d)
    closedir(d);
  return others;
}

static bool is_cuda(const struct pack *p) {
  for (size_t i = 0; i < p->n; i++)
    if (ckjit_archs_are_cuda(p->entries[i].archs))
      return true;
  return false;
}

size_t packcache_gather(struct pack *p, const struct request *r) {
  const char *readonly = env_get("CK_JIT_CACHE_READONLY_DIR");
  const char *dirs[] = {readonly && !ckjit_readonly_check(readonly) ? readonly : NULL,
                        ckjit_cache_check(r->cache) ? NULL : r->cache};
  autofree_argv all = {0}, lists = {0};
  size_t others = 0;
  const char *given = r->arch ? r->arch : env_get("CK_JIT_ARCH");
  char joined[CKJIT_ARCHS_SIZE] = "";
  ckjit_archs_said(given ? given : "", "", joined);
  if (*joined) /* an entry may have no code for a GPU */
    argv_add(&all, joined);
  for (size_t i = 0; i < 2; i++)
    if (dirs[i])
      add_of_cache(&all, dirs[i]);
  for (size_t i = 0; i < all.n; i++)
    if (!r->arch || archs_mean(r->arch, all.args[i]))
      argv_add(&lists, all.args[i]);
  for (size_t i = 0; i < 2; i++)
    if (dirs[i])
      others += add_cache(p, dirs[i], &lists);
  p->kind = xstrdup(is_cuda(p) ? "cuda" : "hip");
  p->compiler = xstrdup("unknown");
  return r->arch ? 0 : others; /* skip those for other architectures */
}
