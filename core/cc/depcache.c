/* depcache.c - see depcache.h.
 *
 * The stamp of a file or directory is a hash of device, inode, size, mtime and ctime. Any write,
 * rename or link changes ctime; mtime alone would not do, because `touch` and archivers set it
 * back. A name that was looked up and not found can only appear if the directory changes that would
 * hold it, or that would hold the first missing directory of its path. */
#include "depcache.h"
#include "abi/ck_jit_abi.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/base/memofile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

/* A file changed twice within one clock tick has the same time stamp for two contents. FAT has the
 * longest tick in use: two seconds. */
static const int64_t YOUNG = 2000000000;

static int64_t nanoseconds(const struct timespec *t) {
  return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static int64_t changed(const struct stat *st) {
  int64_t m = nanoseconds(&st->st_mtim), c = nanoseconds(&st->st_ctim);
  return m > c ? m : c;
}

static uint64_t stamp_of(const struct stat *st) {
  uint64_t h = 0xcbf29ce484222325u;
  const uint64_t words[] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino, (uint64_t)st->st_size,
                            (uint64_t)nanoseconds(&st->st_mtim), (uint64_t)nanoseconds(&st->st_ctim)};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    h = (h ^ words[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return h ? h : 1;
}

void deps_add(struct deps *d, const char *path, const struct stat *st, bool system, bool listed) {
  vec_push(d->list, d->n, (struct dep){xstrdup(path), system, listed, false, st ? stamp_of(st) : 0});
  if (st && changed(st) > d->newest)
    d->newest = changed(st);
}

static void deps_clear(struct deps *d) {
  while (d->n)
    free(d->list[--d->n].path);
  d->newest = 0;
}

void deps_free(struct deps *d) {
  deps_clear(d);
  free(d->list);
  *d = (struct deps){0};
}

static char *entry_of(const char *dir, const struct buf *key) {
  return xasprintf("%s/%016" PRIx64, dir, ckjit_fnv1a(key->data, key->len));
}

/* The memo's name. */
static char *name_of(const struct buf *key) {
  return xasprintf("includes %s", key->data);
}

/* ---- reading ---- */

static bool is_file_in(const char *dir, const char *name) {
  struct stat st;
  autofree char *path = path_join(dir, name);
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Is everything in the rest of the entry still true? Then D holds its files. */
static bool holds(struct lines *l, struct deps *d) {
  const char *directory = "";
  bool same_directory = false;
  while (lines_next(l)) {
    const char kind = l->field[0][0], *path = l->field[1];
    struct stat st;
    if (lines_is(l, "n", 1)) { /* not found, below the last directory */
      if (!same_directory && is_file_in(directory, path))
        return false;
      continue;
    }
    if (l->n != 3)
      return false;
    bool there = stat(path, &st) == 0;
    uint64_t stamp = strtoull(l->field[2], NULL, 16);
    if (kind == 'd') {
      directory = path;
      same_directory = there && stamp && stamp_of(&st) == stamp;
      continue;
    }
    if (!there || !S_ISREG(st.st_mode) || stamp_of(&st) != stamp)
      return false;
    if (kind == '-')
      continue;
    deps_add(d, path, &st, kind == 's', true);
    d->list[d->n - 1].maybe = kind == 'm';
  }
  return lines_ended(l);
}

enum depcache depcache_read(const char *dir, const struct buf *key, struct deps *d) {
  autofree char *file = entry_of(dir, key), *name = name_of(key);
  struct lines l;
  enum depcache answer = DEPCACHE_MISS;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  d->started = nanoseconds(&now);
  if (memofile_open(&l, file, name)) {
    if (holds(&l, d))
      answer = DEPCACHE_HIT;
    else
      deps_clear(d);
  } else if (!file_exists(file)) {
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENOENT && dir_make(dir))
      fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
      close(fd);
    answer = DEPCACHE_NEW;
  }
  lines_close(&l);
  return answer;
}

/* ---- writing ---- */

/* a name that was not found, and the directory that must change for it to appear */
struct absent {
  char *dir;
  uint64_t stamp;
  const char *path;
};

/* The nearest existing directory above PATH. Its stamp is 0, so that the names below it are always
 * looked up again, if it has just changed or if there is a dangling link on the way, whose target
 * may appear anywhere. */
static struct absent find_directory(const char *path, int64_t started) {
  struct absent a = {.path = path};
  struct stat st;
  bool trusted = true;
  for (char *p = xstrdup(path);;) {
    trusted = trusted &&
              (lstat(p, &st) ? errno == ENOENT || errno == ENOTDIR : !S_ISLNK(st.st_mode) || !stat(p, &st));
    char *up = path_dir(p);
    bool end = strcmp(up, p) == 0;
    free(p);
    p = up;
    if (stat(p, &st) == 0 && S_ISDIR(st.st_mode)) {
      a.dir = p;
      a.stamp = trusted && changed(&st) + YOUNG < started ? stamp_of(&st) : 0;
      return a;
    }
    if (end) {
      a.dir = p;
      return a;
    }
  }
}

static int by_directory(const void *a, const void *b) {
  const struct absent *x = a, *y = b;
  int order = strcmp(x->dir, y->dir);
  return order ? order : (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

static void put_line(struct buf *out, const char *kind, uint64_t stamp, const char *path) {
  char hex[17];
  snprintf(hex, sizeof hex, "%" PRIx64, stamp);
  lines_put(out, kind, path, hex, NULL);
}

/* PATH as looked up below DIR, which is a prefix of it or "." */
static const char *below(const char *dir, const char *path) {
  size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);
  if (strncmp(path, dir, n) != 0 || path[n] != '/')
    return path; /* ".name" is not below "." */
  return path + n + strspn(path + n, "/");
}

static void put_absent(struct buf *out, const struct deps *d) {
  autofree struct absent *list = xcalloc(d->n, sizeof *list);
  size_t n = 0;
  for (size_t i = 0; i < d->n; i++)
    if (!d->list[i].stamp)
      list[n++] = find_directory(d->list[i].path, d->started);
  qsort(list, n, sizeof *list, by_directory);
  for (size_t i = 0; i < n; i++) {
    if (!i || by_directory(&list[i - 1], &list[i]) != 0)
      put_line(out, "d", list[i].stamp, list[i].dir);
    lines_put(out, "n", below(list[i].dir, list[i].path), NULL);
  }
  for (size_t i = 0; i < n; i++)
    free(list[i].dir);
}

void depcache_write(const char *dir, const struct buf *key, const struct deps *d) {
  if (d->newest + YOUNG >= d->started)
    return;
  autofree_buf out = {0};
  buf_puts(&out, "");
  for (size_t i = 0; i < d->n; i++) {
    const struct dep *f = &d->list[i];
    if (f->stamp)
      put_line(&out, !f->listed ? "-" : f->system ? "s" : f->maybe ? "m" : "u", f->stamp, f->path);
  }
  put_absent(&out, d);
  autofree char *file = entry_of(dir, key), *name = name_of(key);
  memofile_write(file, name, out.data);
}
