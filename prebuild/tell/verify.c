/* verify.c - `verify`: is every file that a first call could load intact?
 *
 *     entry         a whole shared object of this machine, sealed, of trusted owner and mode, as
 *                   the runtime requires
 *     name          a keyed name has the build id that is in the file
 *     compiler      an entry whose build id only the library's own compiler may use names that
 *                   compiler in .comment; for kernels of a manifest
 *     .host/        as entries
 *     .fragments/   the seal, and the build id of the name
 *
 * A first call checks all of this for the one file that it loads, so nothing bad is ever loaded; it
 * is compiled again. verify finds it earlier, when a disk or a copy is in doubt.
 *
 * --repair removes damaged files of ckjit. Between the check of a file and its removal a compile
 * may have replaced it by a good one. So the file is first renamed, then checked once more: another
 * file gets its name back. A file whose key is locked is being made at this moment, and stays. A
 * process that has mapped a removed file keeps it. */
#include "prebuild/help.h"
#include "entries.h"
#include "prebuild/archs.h"
#include "prebuild/cache.h"
#include "core/cache/artefact.h"
#include "core/base/jsonread.h"
#include "core/base/elf.h"
#include "core/base/human.h"
#include "core/base/parallel.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/inputs.h"
#include "core/cache/lock.h"
#include "core/cache/times.h"

#include <dirent.h>
#include <sys/stat.h>

enum { HEX = 2 * CKJIT_BUILD_ID_SIZE };

struct fault {
  char *file; /* below the cache */
  const char *state, *why;
  bool removed;
  /* why it was not removed; NULL: it was removed, or --repair was not given */
  char *stays;
};

struct verifying {
  const struct request *r;
  struct cache_entries all;
  struct times times;
  size_t looked, nfaults;
  uint64_t bytes;
  struct fault *faults;
  /* of each group of the manifest; NULL: there is no manifest */
  char **comments;
};

/* ---- removing ---- */

/* Is FILE still the one that ST describes? */
static bool is_same(const char *file, const struct stat *st) {
  struct stat now;
  return lstat(file, &now) == 0 && now.st_ino == st->st_ino && now.st_dev == st->st_dev &&
         now.st_size == st->st_size && now.st_mtim.tv_sec == st->st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == st->st_mtim.tv_nsec;
}

/* Rename the file DATA to NAME, which is random. */
static bool rename_to(const char *name, void *data) {
  struct stat st;
  if (lstat(name, &st) == 0) {
    errno = EEXIST;
    return false;
  }
  return rename(data, name) == 0;
}

/* Remove FILE if it is the one that ST describes. NULL, or why it stays; free() it. */
static char *remove_judged(const char *file, const struct stat *st) {
  /* remains of a kill are removed as an unfinished file */
  autofree char *aside = file_make_beside(file, rename_to, (void *)file);
  char *stays = NULL;
  if (!aside) {
    stays = errno == ENOENT ? NULL : xasprintf("cannot be removed: %s", strerror(errno));
  } else if (!is_same(aside, st)) {
    if (link(aside, file) && errno != EEXIST) /* file systems without links */
      rename(aside, file);
    else
      unlink(aside);
    stays = xstrdup("another file has replaced it meanwhile");
  } else if (unlink(aside)) {
    stays = xasprintf("cannot be removed: %s", strerror(errno));
  }
  return stays;
}

/* Is the lock of the key in NAME, if it has one, held? */
static bool is_being_made(const struct request *r, const char *name) {
  const char *dot = strrchr(name, '.');
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!dot || dot - name < HEX)
    return false;
  autofree char *hex = xstrndup(dot - HEX, HEX), *lock = cachedir_lock_path(r->cache, hex);
  int fd = -1;
  bool held = ckjit_build_id_parse(id, hex) && lock_try(&fd, lock) == LOCK_HELD;
  lock_release(fd, lock);
  return held;
}

/* Report NAME below the cache, which is WHY; it may be removed if it is OURS beyond doubt. */
static void add_fault(struct verifying *v, const char *name, const char *state, const char *why,
                      const struct stat *st, bool ours) {
  struct fault fault = {.file = xstrdup(name), .state = state, .why = why};
  autofree char *file = path_join(v->r->cache, name);
  if (v->r->repair && !ours)
    fault.stays = xstrdup("may not be ckjit's own");
  else if (v->r->repair && is_being_made(v->r, path_base(name)))
    fault.stays = xstrdup("is being compiled");
  else if (v->r->repair)
    fault.removed = !(fault.stays = remove_judged(file, st));
  vec_push(v->faults, v->nfaults, fault);
}

/* ---- entries ---- */

/* Has ckjit compiled STEM into this cache, or is it a kernel of the manifest? A file that was cut
 * short has no build id. */
static bool is_known(const struct verifying *v, const char *stem) {
  struct artefact_name a;
  artefact_stem_read(&a, stem);
  autofree char *blob = xstrndup(stem, a.stem);
  uint64_t ms;
  return times_find(&v->times, stem, &ms) || times_find(&v->times, blob, &ms) ||
         (v->all.m && manifest_find(v->all.m, blob));
}

/* Does section .comment of FILE have the text COMMENT? True as well if it has none, or cannot be
 * read. */
static bool has_comment(const char *file, const char *comment) {
  struct elf_section s;
  autofree char *data = elf_read_section(file, ".comment", &s);
  bool has = !data;
  for (const char *at = data ? (const char *)s.data : NULL, *end = at ? at + s.size : NULL;
       at < end && !has;) {
    size_t n = strnlen(at, (size_t)(end - at));
    has = n == strlen(comment) && memcmp(at, comment, n) == 0;
    at += n + 1;
  }
  return has;
}

/* Is ID, of an entry of BLOB, one that only the library's compiler uses: for the whole list of its
 * architectures, or for one of them? */
static bool is_own_id(const struct manifest *m, const struct manifest_blob *blob,
                      const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  const struct argv *archs = &m->groups[blob->group].archs;
  uint8_t own[CKJIT_BUILD_ID_SIZE];
  autofree_buf all = {0};
  bool is = false;
  for (size_t i = 0; i < archs->n; i++) {
    buf_printf(&all, "%s%s", i ? ";" : "", archs->args[i]);
    cache_build_id(blob, archs->args[i], own);
    is |= memcmp(own, id, sizeof own) == 0;
  }
  cache_build_id(blob, all.data ? all.data : "", own);
  is |= memcmp(own, id, sizeof own) == 0;
  return is;
}

/* Set V->comments to .comment of the entries of each group of the manifest; NULL: unknown. */
static void read_comments(struct verifying *v) {
  const struct manifest *m = v->all.m;
  if (!m || m->unkeyed)
    return;
  autofree char *root = path_dir(m->file);
  v->comments = xcalloc(m->ngroups + 1, sizeof *v->comments);
  for (size_t i = 0; i < m->ngroups; i++) {
    autofree char *list = manifest_inputs(m, &m->groups[i], root), *err = NULL;
    struct inputs *in = list ? inputs_read(list, &err) : NULL;
    if (in && *in->comment)
      v->comments[i] = xstrdup(in->comment);
    inputs_free(in);
  }
}

/* Is the compiler of FILE, an entry with ID, that of its key, as far as a manifest and the file
 * show? */
static bool is_of_its_compiler(const struct verifying *v, const char *file, const char *stem,
                               const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  const struct manifest_blob *blob = v->comments ? manifest_find(v->all.m, stem) : NULL;
  const char *comment = blob ? v->comments[blob->group] : NULL;
  return !comment || !is_own_id(v->all.m, blob, id) || has_comment(file, comment);
}

/* the result for a file */
struct verdict {
  /* it exists, and is of a kind that is checked */
  bool looked;
  struct stat st;
  const char *state, *why; /* NULL: it is good */
  bool ours;               /* beyond doubt */
};

static void set_verdict(struct verdict *d, const char *state, const char *why, bool ours) {
  d->state = state;
  d->why = why;
  d->ours = ours;
}

/* Judge NAME, below the cache: is it an entry, or to be reported? */
static void judge_entry(struct verdict *d, const struct verifying *v, const char *name) {
  struct artefact_name a;
  if (!artefact_name_read(&a, path_base(name)))
    return;
  autofree char *file = path_join(v->r->cache, name), *stem = xstrndup(path_base(name), a.len);
  if (lstat(file, &d->st)) { /* gone meanwhile */
    return;
  }
  const char *why = NULL;
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE] = {0};
  enum ckjit_entry_state state = ckjit_entry_open(file, id, &kind, &why);
  d->looked = true;
  if (state == CKJIT_ENTRY_DAMAGED)
    set_verdict(d, "damaged", why, a.keyed || is_known(v, stem));
  else if (state == CKJIT_ENTRY_FOREIGN)
    set_verdict(d, "foreign", why, false);
  else if (state == CKJIT_ENTRY_OTHER && a.keyed && memcmp(a.id, id, sizeof id) != 0)
    set_verdict(d, "misnamed", "has another build id than its name: no call finds it", true);
  else if (state == CKJIT_ENTRY_OTHER && !is_of_its_compiler(v, file, stem, id))
    set_verdict(d, "compiler", "was made by another compiler than its key names", true);
}

/* ---- fragments ---- */

/* The object, its build id, and a seal over both (compile/place.c). */
static void judge_fragment(struct verdict *d, const struct verifying *v, const char *name) {
  autofree char *file = path_join(v->r->cache, name), *hex = path_stem(name);
  uint8_t id[CKJIT_BUILD_ID_SIZE], have[CKJIT_BUILD_ID_SIZE];
  int fd = ckjit_open_cached(file, O_RDONLY, 0, CKJIT_ENTRY_MOST, &d->st);
  const uint64_t behind = sizeof(struct ckjit_seal) + sizeof have;
  if (fd >= 0 && ckjit_build_id_parse(id, hex)) {
    uint64_t size = (uint64_t)d->st.st_size;
    const char *foreign = ckjit_owner_check(&d->st),
               *why = foreign ? NULL : ckjit_seal_check(fd, size);
    d->looked = true;
    if (foreign)
      set_verdict(d, "foreign", foreign, false);
    else if (why)
      set_verdict(d, "damaged", why, true);
    else if (size < behind || !ckjit_pread_all(fd, have, sizeof have, size - behind) ||
             memcmp(have, id, sizeof id) != 0)
      set_verdict(d, "misnamed", "has another build id than its name", true);
  }
  if (fd >= 0)
    close(fd);
}

/* ---- all ---- */

static void judge(struct verdict *d, const struct verifying *v, const char *name, bool entry) {
  *d = (struct verdict){0};
  if (str_starts(name, CKJIT_FRAGMENTS "/") && str_ends(name, ".o"))
    judge_fragment(d, v, name);
  else if (entry || str_starts(name, CKJIT_HOST "/"))
    judge_entry(d, v, name);
}

static void count(struct verifying *v, const char *name, const struct verdict *d) {
  v->looked += d->looked;
  v->bytes += d->looked && S_ISREG(d->st.st_mode) ? (uint64_t)d->st.st_size : 0;
  if (d->state)
    add_fault(v, name, d->state, d->why, &d->st, d->ours);
}

/* For good files, the great majority, only this is kept. */
struct marks {
  const struct verifying *v;
  bool *looked, *bad; /* of each item of V's cache */
  uint64_t *bytes;
};

static const char *name_of(const struct verifying *v, size_t i) {
  const char *below = path_below(v->all.items.list[i].path, v->r->cache);
  return below ? below + (*below == '/') : "";
}

static void look_at(void *look, size_t i) {
  const struct marks *l = look;
  struct verdict d;
  judge(&d, l->v, name_of(l->v, i), l->v->all.items.list[i].entry);
  l->looked[i] = d.looked;
  l->bad[i] = d.state;
  l->bytes[i] = d.looked ? (uint64_t)d.st.st_size : 0;
}

static void look_at_all(struct verifying *v) {
  size_t n = v->all.items.n;
  struct marks l = {v, xcalloc(n + 1, 1), xcalloc(n + 1, 1), xcalloc(n + 1, sizeof *l.bytes)};
  parallel_each(n, look_at, &l);
  for (size_t i = 0; i < n; i++) {
    struct verdict d = {.looked = l.looked[i],
                        .st = {.st_mode = S_IFREG, .st_size = (off_t)l.bytes[i]}};
    if (l.bad[i]) /* again, for the advice */
      judge(&d, v, name_of(v, i), v->all.items.list[i].entry);
    count(v, name_of(v, i), &d);
  }
}

/* Links and the like, which no list of the cache has. */
static void look_at_others(struct verifying *v) {
  DIR *d = opendir(v->r->cache);
  for (struct dirent *e; d && (e = readdir(d));) {
    struct stat st;
    if (*e->d_name != '.' && str_ends(e->d_name, ".so") && e->d_type != DT_REG &&
        fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
      struct verdict verdict;
      judge(&verdict, v, e->d_name, true);
      count(v, e->d_name, &verdict);
    }
  }
  if (d)
    closedir(d);
}

/* ---- the result ---- */

static size_t left(const struct verifying *v) {
  size_t n = 0;
  for (size_t i = 0; i < v->nfaults; i++)
    n += !v->faults[i].removed;
  return n;
}

static void print_for_people(const struct verifying *v) {
  autofree char *size = human_size(v->bytes);
  for (size_t i = 0; i < v->nfaults; i++) {
    const struct fault *f = &v->faults[i];
    printf("%s\t%s\t%s", f->state, f->file, f->why);
    if (f->removed)
      printf("; removed");
    else if (f->stays)
      printf("; stays: %s", f->stays);
    putchar('\n');
  }
  printf("%zu %s verified, %s, in %s: ", v->looked, noun(v->looked, "file", "files"), size,
         v->r->cache);
  if (!v->nfaults)
    puts("all are good");
  else if (v->r->repair)
    printf("%zu bad, %zu of them removed\n", v->nfaults, v->nfaults - left(v));
  else
    printf("%zu bad; --repair removes those that are ckjit's own\n", v->nfaults);
}

static void print_json(const struct verifying *v) {
  json_t *faults = json_array();
  for (size_t i = 0; i < v->nfaults; i++) {
    const struct fault *f = &v->faults[i];
    json_array_append_new(faults,
                          json_pack("{s:o, s:s, s:s, s:b, s:o}", "file", json_printable(f->file),
                                    "state", f->state, "why", f->why, "removed", f->removed,
                                    "stays", json_printable(f->stays)));
  }
  entries_print_json(json_pack("{s:i, s:o, s:I, s:I, s:o}", "ckjit", 1, "cache",
                               json_printable(v->r->cache), "files", (json_int_t)v->looked, "bytes",
                               (json_int_t)v->bytes, "bad", faults));
}

int prebuild_verify(struct request *r) {
  struct verifying v = {.r = r};
  if (r->names.n)
    die_usage(r, "unexpected argument '%s'", r->names.args[0]);
  autofree char *times = path_join(r->cache, TIMES_FILE), *err = NULL;
  if (cache_open(r)) {
    entries_read(&v.all, r);
    if (file_exists(times) && !times_read(&v.times, times, TIMES_LAST, &err))
      warn("%s", err);
    read_comments(&v);
    look_at_all(&v);
    look_at_others(&v);
  }
  if (r->json)
    print_json(&v);
  else
    print_for_people(&v);
  size_t stay = left(&v);
  entries_flush();
  return stay ? EXIT_FAILED : EXIT_OK;
}
