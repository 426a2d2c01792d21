/* pack.c - `pack`: the entries of a cache in one file that travels, with a description of each.
 *
 *     gather     the entries of the wanted blobs, by their build ids; for CUDA also their kernels
 *     describe   size and seal of each, which is checked
 *     write      index and entries into a temporary file, compressed by libzstd, and rename it
 *
 * Entries that another compiler made, or that were made with other system headers, are omitted:
 * only a compiler can decide whether a machine wants them (compile/variant.c), and a pack is for
 * machines without one. If nothing else is there, the message says so.
 */
#include "archs.h"
#include "cache.h"
#include "help.h"
#include "lazykernels.h"
#include "packcache.h"
#include "packfile.h"
#include "prebuild.h"
#include "tarfile.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/artefact.h"
#include "core/cc/compiler.h"
#include "core/files/unitkernels.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- gather ---- */

/* The entry of BLOB for ARCHS, complete or without kernels. */
static bool gather_kind(struct pack *p, const struct request *r, const struct manifest_blob *blob,
                        const char *archs, enum ckjit_kind kind) {
  char path[PATH_MAX];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  bool found =
      pack_build_id(id, blob->key, archs, kind, blob->stem) && cache_find_id(r, blob, id, path);
  if (found)
    pack_add(p, path, blob->stem, archs, kind, id);
  return found;
}

/* Was KERNEL of UNIT gathered, or if it is NULL any of them? */
static bool has_kernel(const struct pack *p, const struct manifest_blob *unit, const char *kernel) {
  autofree char *stem = kernel ? unitkernel_name(unit->stem, kernel) : xasprintf("%s.", unit->stem);
  bool has = false;
  for (size_t i = 0; i < p->n && !has; i++)
    has = p->entries[i].kind == CKJIT_KIND_KERNEL &&
          (kernel ? strcmp(p->entries[i].stem, stem) == 0 : str_starts(p->entries[i].stem, stem));
  return has;
}

/* Were those that are wanted of it? */
static bool has_kernels(const struct pack *p, const struct request *r,
                        const struct manifest_blob *unit) {
  const struct argv *kernels = kernels_wanted(r, unit);
  if (!kernels || has_kernel(p, unit, CKJIT_UNIT_WHOLE))
    return has_kernel(p, unit, NULL);
  for (size_t i = 0; i < kernels->n; i++)
    if (!has_kernel(p, unit, kernels->args[i]))
      return false;
  return true;
}

static bool gather_blob(struct pack *p, const struct request *r, const struct manifest_blob *blob) {
  const struct argv *lists = &r->archs[blob->group];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  bool found = false;
  if (blob->unit)
    return has_kernels(p, r, blob);
  for (size_t i = 0; i < lists->n; i++) {
    found |= gather_kind(p, r, blob, lists->args[i], CKJIT_KIND_BLOB);
    found |= cache_key_apart(r, blob, lists->args[i], id) &&
             gather_kind(p, r, blob, lists->args[i], CKJIT_KIND_BLOB_HOST);
  }
  return found;
}

/* Is the kernel of UNIT with this HASH wanted? The entry of all kernels serves each of them. */
static bool is_wanted(const struct request *r, const struct manifest_blob *unit, uint64_t hash) {
  const struct argv *kernels = kernels_wanted(r, unit);
  return !kernels || unitkernel_find(kernels, hash) ||
         unitkernel_find(&(struct argv){(char *[]){CKJIT_UNIT_WHOLE, NULL}, 1}, hash);
}

/* Add NAME in DIR, if it is a kernel of one of the blobs. */
static void gather_kernel(struct pack *p, const struct request *r, const bool *meant,
                          const char *dir, const char *name) {
  struct artefact_name a;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX];
  const char *why;
  if (!artefact_name_read(&a, name) || !a.has_symbol)
    return;
  autofree char *stem = xstrndup(name, a.len), *of = xstrndup(name, a.stem);
  const struct manifest_blob *blob = manifest_find(r->m, of);
  const struct argv *lists = blob && meant[blob - r->m->blobs] ? &r->archs[blob->group] : NULL;
  enum ckjit_kind kind = a.symbol == artefact_symbol(CKJIT_UNIT_FRONT_NAME)  ? CKJIT_KIND_UNIT_FRONT
                         : a.symbol == artefact_symbol(CKJIT_UNIT_PART_NAME) ? CKJIT_KIND_UNIT_PART
                                                                             : CKJIT_KIND_KERNEL;
  if (blob && blob->unit && !is_wanted(r, blob, a.symbol))
    lists = NULL;
  for (size_t i = 0; lists && i < lists->n; i++)
    if (pack_build_id(id, blob->key, lists->args[i], kind, stem) &&
        ckjit_entry_find(path, dir, stem, strlen(stem), id, &why))
      pack_add(p, path, stem, lists->args[i], kind, id);
}

static void gather_kernels(struct pack *p, const struct request *r, const char *dir) {
  autofree bool *meant = xcalloc(r->m->nblobs + 1, sizeof *meant);
  for (size_t i = 0; i < r->nblobs; i++)
    meant[r->blobs[i] - r->m->blobs] = true;
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));)
    gather_kernel(p, r, meant, dir, e->d_name);
  if (d)
    closedir(d);
}

static int in_order(const void *a, const void *b) {
  const struct pack_entry *x = a, *y = b;
  int order = strcmp(x->stem, y->stem);
  return order ? order : memcmp(x->id, y->id, sizeof x->id);
}

/* Keep each once: a plain and a keyed name may lead to the same kernel, and both caches may have
 * it. */
static void sort_entries(struct pack *p) {
  size_t n = 0;
  if (p->n)
    qsort(p->entries, p->n, sizeof *p->entries, in_order);
  for (size_t i = 0; i < p->n; i++) {
    struct pack_entry *e = &p->entries[i];
    if (!n || in_order(&p->entries[n - 1], e)) {
      p->entries[n++] = *e;
      continue;
    }
    free(e->stem);
    free(e->archs);
    free(e->path);
  }
  p->n = n;
}

/* What the cache has of BLOB, for a message. */
static const char *what_is_there(const struct request *r, const struct manifest_blob *blob) {
  return packcache_has_variant(r->cache, blob->stem, blob->key, &r->archs[blob->group])
             ? "only made by another compiler or with other headers than the library's, which a "
               "machine without a compiler could not find; build the library with this compiler"
             : "not there";
}

/* Named blobs must exist: a kernel that a pack lacks has to be compiled on the machine that has no
 * compiler. */
static void tell_missing(const struct request *r, const struct manifest_blob *const *missing,
                         size_t n) {
  enum { MESSAGES = 20 };
  for (size_t i = 0; i < n && i < MESSAGES; i++)
    complain("%s: the cache %s has no entry of it%s%s that can be packed: it is %s",
             missing[i]->stem, r->cache, r->arch ? " for " : "", r->arch ? r->arch : "",
             what_is_there(r, missing[i]));
  if (n > MESSAGES)
    note("and %zu more", n - MESSAGES);
  die(EXIT_FAILED,
      "pack: %zu of %zu %s not in the cache; compile %s with `%s build`, or leave %s out. "
      "Nothing was written",
      n, r->nblobs, noun(n, "blob is", "blobs are"), noun(n, "it", "them"), help_program(),
      noun(n, "it", "them"));
}

/* May kernels have their own entries? */
static bool has_kernels_apart(const struct request *r) {
  bool any = r->m->compiler_kind->all_apart;
  for (size_t i = 0; i < r->nblobs && !any; i++)
    any = r->blobs[i]->unit || r->blobs[i]->late;
  return any;
}

/* Gather the wanted entries of R's blobs; returns the number of blobs. */
static size_t gather_blobs(struct pack *p, struct request *r) {
  const char *readonly = env_get("CK_JIT_CACHE_READONLY_DIR");
  autofree const struct manifest_blob **missing = xcalloc(r->nblobs + 1, sizeof *missing);
  size_t lacking = 0;
  if (has_kernels_apart(r)) {
    if (readonly && !ckjit_readonly_check(readonly))
      gather_kernels(p, r, readonly);
    gather_kernels(p, r, r->cache);
  }
  for (size_t i = 0; i < r->nblobs; i++)
    if (!gather_blob(p, r, r->blobs[i]) && !r->blobs[i]->linked)
      missing[lacking++] = r->blobs[i];
  if (lacking && !r->all)
    tell_missing(r, missing, lacking);
  if (lacking == r->nblobs)
    die(EXIT_FAILED,
        "pack: the cache %s has no entry of any of the %zu %s%s%s; compile them with `%s build`. "
        "Nothing was written",
        r->cache, r->nblobs, noun(r->nblobs, "blob", "blobs"), r->arch ? " for " : "",
        r->arch ? r->arch : "", help_program());
  sort_entries(p);
  if (lacking)
    note("%zu of %zu %s %s not in it: the cache does not have %s", lacking, r->nblobs,
         noun(r->nblobs, "blob", "blobs"), noun(lacking, "is", "are"), noun(lacking, "it", "them"));
  return r->nblobs - lacking;
}

/* Gather all entries of the cache; returns the number of blobs. */
static size_t gather_cache(struct pack *p, struct request *r) {
  size_t others = packcache_gather(p, r), blobs = 0, length = 0;
  sort_entries(p);
  if (!p->n)
    die(EXIT_FAILED,
        "pack: the cache %s has no entry%s%s; compile kernels with `%s build`. Nothing was written",
        r->cache, r->arch ? " for " : "", r->arch ? r->arch : "", help_program());
  if (others)
    note("%zu %s left out: made by another compiler or with other headers than the library's, or "
         "for architectures that --arch has to name",
         others, noun(others, "entry is", "entries are"));
  for (size_t i = 0; i < p->n; i++) { /* those of a blob are neighbours */
    const char *stem = p->entries[i].stem;
    struct artefact_name a;
    artefact_stem_read(&a, stem);
    size_t n = p->entries[i].kind == CKJIT_KIND_BLOB ? a.len : a.stem;
    blobs += !i || n != length || strncmp(stem, p->entries[i - 1].stem, n) != 0;
    length = n;
  }
  return blobs;
}

static size_t gather(struct pack *p, struct request *r) {
  if (!r->m)
    return gather_cache(p, r);
  p->kind = xstrdup(r->m->compiler_kind->kind);
  p->compiler = xstrdup(r->m->compiler && *r->m->compiler ? r->m->compiler : "unknown");
  archs_choose_any(r);
  return gather_blobs(p, r);
}

/* ---- describe ---- */

/* Open the entry E: its descriptor, size and seal. */
static int open_entry(const struct pack_entry *e, uint64_t *size, uint64_t *hash) {
  struct ckjit_seal seal;
  struct stat st;
  int fd = ckjit_open_cached(e->path, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  if (fd < 0 || st.st_size < (off_t)sizeof seal ||
      !ckjit_pread_all(fd, &seal, sizeof seal, (uint64_t)st.st_size - sizeof seal))
    die(EXIT_FAILED, "%s: cannot be read any more: %s; nothing was written", e->path,
        strerror(errno));
  *size = (uint64_t)st.st_size;
  *hash = seal.hash;
  return fd;
}

static void describe(struct pack *p) {
  for (size_t i = 0; i < p->n; i++)
    close(open_entry(&p->entries[i], &p->entries[i].size, &p->entries[i].hash));
}

/* ---- write ---- */

static void put_entry(struct archive *to, const struct pack *p, size_t i) {
  enum { CHUNK = 1 << 18 };
  static char bytes[CHUNK];
  const struct pack_entry *e = &p->entries[i];
  char name[PACK_MEMBER_NAME];
  uint64_t size, hash;
  int from = open_entry(e, &size, &hash);
  if (size != e->size || hash != e->hash)
    die(EXIT_FAILED, "%s: it changed while it was packed; nothing was written, try again", e->path);
  pack_member_name(name, p, i);
  archive_begin(to, name, e->size);
  for (uint64_t at = 0; at < size;) {
    size_t n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
    if (!ckjit_pread_all(from, bytes, n, at))
      die(EXIT_FAILED, "%s: cannot be read: %s; nothing was written", e->path, strerror(errno));
    archive_put(to, bytes, n);
    at += n;
  }
  archive_end(to, size);
  close(from);
}

static void put_pack(struct archive *to, void *pack) {
  const struct pack *p = pack;
  autofree_buf index = {0};
  pack_index_write(&index, p);
  archive_add(to, PACK_INDEX_NAME, index.data, index.len);
  for (size_t i = 0; i < p->n; i++)
    put_entry(to, p, i);
}

int prebuild_pack(struct request *r) {
  struct pack p = {0};
  cache_open(r);
  size_t blobs = gather(&p, r);
  describe(&p);
  uint64_t written = archive_write("pack", r->output, put_pack, &p);
  if (written) {
    autofree char *size = human_size(written);
    printf("%zu %s of %zu %s, %s, in %s\n", p.n, noun(p.n, "entry", "entries"), blobs,
           noun(blobs, "blob", "blobs"), size, r->output);
  }
  pack_free(&p);
  return EXIT_OK;
}
