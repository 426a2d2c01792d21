/* clean.c - `clean`: removes files that ckjit made from a cache directory, and no others.
 *
 * The user may have named the wrong directory. A directory without a place for locks is not a
 * cache, because each compile takes a lock; there a file is removed only if both its name and its
 * content show that it is an entry. In a cache a name that only ckjit gives is enough. The files of
 * a running compile stay: it holds a lock on them (core/cache/lock.c), and the name of its
 * directory identifies it (core/cache/owned.c).
 */
#include "core/cache/artefact.h"
#include "lazykernels.h"
#include "prebuild.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "abi/ck_jit_bundle.h"
#include "core/cache/cachedir.h"
#include "core/cache/key.h"
#include "core/cache/lastlook.h"
#include "core/cache/lock.h"
#include "core/cache/stats.h"
#include "core/cache/times.h"
#include "core/cache/used.h"
#include "core/files/unitkernels.h"

#include <dirent.h>
#include <unistd.h>

enum { HEX = 2 * CKJIT_BUILD_ID_SIZE };

struct cleaning {
  const struct request *r;
  bool cache; /* the directory is a cache */
  size_t entries, failed;
  unsigned long long bytes;
};

static void remove_file(struct cleaning *c, const char *file, bool is_entry) {
  struct stat st;
  bool there = lstat(file, &st) == 0;
  if (!there && errno == ENOENT) /* another clean or compile removed it first */
    return;
  if (!there || (unlink(file) && errno != ENOENT)) {
    complain("cannot remove %s: %s", file, strerror(errno));
    c->failed++;
  } else if (is_entry) {
    c->entries++;
    c->bytes += (unsigned long long)st.st_size;
  }
}

/* ---- entries ---- */

/* Is FILE a shared object with a build id of ckjit's? */
static bool has_our_build_id(const char *file) {
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct stat st;
  int fd = ckjit_open_cached(file, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  bool ours = fd >= 0 && !ckjit_elf_read(fd, (uint64_t)st.st_size, id, &kind);
  if (fd >= 0)
    close(fd);
  return ours;
}

/* Is STEM that of the entry of one of KERNELS of UNIT? */
static bool is_kernel(const char *stem, const char *unit, const struct argv *kernels) {
  struct unitkernel k;
  if (!unitkernel_parse(&k, stem))
    return false;
  bool is = strcmp(k.unit, unit) == 0 && unitkernel_find(kernels, k.id);
  free(k.unit);
  return is;
}

static bool is_wanted(const struct request *r, const char *stem) {
  struct artefact_name a;
  artefact_stem_read(&a, stem);
  for (size_t i = 0; i < r->nblobs; i++) {
    const char *blob = r->blobs[i]->stem;
    const struct argv *kernels = kernels_wanted(r, r->blobs[i]);
    if (kernels && r->blobs[i]->unit) {
      if (is_kernel(stem, blob, kernels))
        return true;
    } else if (strcmp(blob, stem) == 0 || (strncmp(blob, stem, a.stem) == 0 && !blob[a.stem]))
      return true;
  }
  return false;
}

static void clean_entry(struct cleaning *c, const char *name) {
  struct artefact_name a;
  struct stat st;
  if (!artefact_name_read(&a, name))
    return;
  autofree char *stem = xstrndup(name, a.len), *file = path_join(c->r->cache, name);
  if (lstat(file, &st) == 0 && S_ISREG(st.st_mode)) {
    /* A truncated file has lost its build id; then, in a cache, a keyed name or that of a blob is
     * proof enough. */
    bool wanted = c->r->all || is_wanted(c->r, stem);
    if (wanted && ((c->cache && (a.keyed || !c->r->all)) || has_our_build_id(file)))
      remove_file(c, file, true);
  }
}

/* ---- other files ---- */

/* Does NAME begin with N digits of a key or digest? Other names, in a directory that only looks
 * like ckjit's, stay. */
static bool has_digits(const char *name, size_t n) {
  return strspn(name, "0123456789abcdef") >= n;
}

/* Remove the remains of a killed compile, unless its owner lives. */
static void clean_temporary(struct cleaning *c, const char *name) {
  if (!c->cache && str_starts(name, CKJIT_TEMPORARY))
    return;
  if (cachedir_remove_temporary(c->r->cache, name))
    return;
  complain("cannot remove %s/%s: %s", c->r->cache, name, strerror(errno));
  c->failed++;
}

/* Remove <key>.failed unless a compile of that key is running, which may be writing it. */
static void clean_failure(struct cleaning *c, const char *name, const char *file) {
  int fd;
  autofree char *lock = cachedir_lock_path(c->r->cache, name);
  if (lock_try(&fd, lock) != LOCK_HELD)
    remove_file(c, file, false);
  lock_release(fd, lock);
}

/* Remove lock files that nobody holds, and the files beside them. */
static void clean_lock(struct cleaning *c, const char *name) {
  /* of core/cache/ (cachedir.c, times.c, lastlook.c) and tell/entryarch.c */
  static const char *const others[] = {"capacity", "times", "used", "lastlook", "archs"};
  bool other = false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    other |= strcmp(name, others[i]) == 0;
  if (!has_digits(name, HEX) && !other)
    return;
  autofree char *file = xasprintf("%s/" CKJIT_LOCKS "/%s", c->r->cache, name);
  if (strlen(name) > HEX) {
    clean_failure(c, name, file);
  } else if (!lock_remove(file)) {
    complain("cannot remove %s: %s", file, strerror(errno));
    c->failed++;
  }
}

static void clean_log(struct cleaning *c, const char *name) {
  autofree char *file = xasprintf("%s/" CKJIT_LOGS "/%s", c->r->cache, name),
                *stem = path_stem(name);
  if (str_ends(name, ".log") && (c->r->all || is_wanted(c->r, stem)))
    remove_file(c, file, false);
}

/* Precompiled headers, shared by all blobs (compile/pch.c). A new one is made in a temporary
 * directory; a compile that was about to use a removed one does without. */
static void clean_pch(struct cleaning *c, const char *name) {
  autofree char *file = xasprintf("%s/" CKJIT_PCH "/%s", c->r->cache, name);
  if (has_digits(name, HEX) &&
      (str_ends(name, ".pch") || str_ends(name, ".list") || str_ends(name, ".h")))
    remove_file(c, file, false);
}

/* Records about compilers (compile/memo.c). */
static void clean_compiler(struct cleaning *c, const char *name) {
  autofree char *file = xasprintf("%s/" CKJIT_COMPILERS "/%s", c->r->cache, name);
  if (has_digits(name, DIGEST_HEX - 1))
    remove_file(c, file, false);
}

/* Objects from which blobs are linked, and the records of which were linked (compile/place.c). */
static void clean_fragment(struct cleaning *c, const char *name) {
  autofree char *file = xasprintf("%s/" CKJIT_FRAGMENTS "/%s", c->r->cache, name);
  if (str_ends(name, ".o") || str_ends(name, ".linked"))
    remove_file(c, file, false);
}

/* Functions of HIP blobs that launch no kernel (compile/hostonly/alone.h). */
static void clean_host(struct cleaning *c, const char *name) {
  struct artefact_name a;
  if (!artefact_name_read(&a, name))
    return;
  autofree char *stem = xstrndup(name, a.len),
                *file = xasprintf("%s/" CKJIT_HOST "/%s", c->r->cache, name);
  if ((c->r->all ? a.keyed || has_our_build_id(file) : is_wanted(c->r, stem)))
    remove_file(c, file, false);
}

/* The records of use (core/cache/used.c). */
static void clean_used(struct cleaning *c, const char *name) {
  autofree char *file = used_file(c->r->cache, name);
  if (file)
    remove_file(c, file, false);
}

/* What a library that was given away has unpacked (runtime/ck_jit_unpack.c). A process that is
 * using it unpacks it again. */
static void clean_bundle(struct cleaning *c, const char *name) {
  char *dir = xasprintf("%s/" CKJIT_BUNDLES "/%s", c->r->cache, name);
  if (has_digits(name, DIGEST_HEX - 1) && !name[DIGEST_HEX - 1] && !dir_remove(dir)) {
    complain("cannot remove %s: %s", dir, strerror(errno));
    c->failed++;
  }
  free(dir);
}

/* A home directory, for example, is not, and its .logs belong to something else. */
static bool is_cache(const char *dir) {
  autofree char *locks = path_join(dir, CKJIT_LOCKS);
  return file_is_dir(locks);
}

/* OURS, one of the files beside the entries, or NAME, the remains of it from a killed process. */
static void clean_times(struct cleaning *c, const char *name, const char *ours) {
  size_t n = strlen(ours);
  autofree char *file = path_join(c->r->cache, name);
  if (c->r->all && c->cache &&
      (!name[n] || (str_starts(name + n, ".tmp") && file_is_unfinished(name))))
    remove_file(c, file, false);
}

static void clean_name(struct cleaning *c, const char *name) {
  if (str_starts(name, TIMES_FILE))
    clean_times(c, name, TIMES_FILE);
  else if (str_starts(name, CKJIT_STATS))
    clean_times(c, name, CKJIT_STATS);
  else if (str_starts(name, STATS_READY))
    clean_times(c, name, STATS_READY);
  else if (!str_starts(name, CKJIT_TEMPORARY) && !str_starts(name, CKJIT_BESIDE))
    clean_entry(c, name);
  else if (c->r->all)
    clean_temporary(c, name);
}

/* Call CLEAN for every name in BELOW, a directory of the cache ("." for the cache itself). False if
 * it cannot be read. */
static bool each_name(struct cleaning *c, const char *below,
                      void (*clean)(struct cleaning *, const char *)) {
  autofree char *dir = path_join(c->r->cache, below);
  DIR *d = opendir(dir);
  if (!d)
    return errno == ENOENT;
  for (struct dirent *e; (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      clean(c, e->d_name);
  closedir(d);
  return true;
}

int prebuild_clean(struct request *r) {
  struct cleaning c = {.r = r, .cache = is_cache(r->cache)};
  if (r->stalled) {
    if (c.cache)
      cachedir_sweep(r->cache);
    printf("removed the leftovers of killed compiles from %s\n", r->cache);
    return EXIT_OK;
  }
  if (!each_name(&c, ".", clean_name))
    die(EXIT_FAILED, "cannot read the cache directory %s: %s", r->cache, strerror(errno));
  static void (*const all[])(struct cleaning *, const char *) = {
      clean_lock, clean_pch, clean_compiler, clean_fragment, clean_used, clean_bundle};
  static const char *const below[] = {CKJIT_LOCKS,     CKJIT_PCH,  CKJIT_COMPILERS,
                                      CKJIT_FRAGMENTS, CKJIT_USED, CKJIT_BUNDLES};
  if (c.cache) {
    each_name(&c, CKJIT_LOGS, clean_log);
    each_name(&c, CKJIT_HOST, clean_host);
  }
  for (size_t i = 0; i < sizeof all / sizeof *all && c.cache && r->all; i++)
    each_name(&c, below[i], all[i]);
  lastlook_forget(r->cache);
  autofree char *size = human_size(c.bytes);
  printf("%zu removed, %s, from %s\n", c.entries, size, r->cache);
  return c.failed ? EXIT_FAILED : EXIT_OK;
}
