/* cachedir.c - see cachedir.h. It has two concerns: the remains of killed compiles, and the size
 * limit.
 *
 * There is no index of the cache: processes on many machines share it, may be killed at any point,
 * and must not wait for each other. So the contents are read from the directory each time;
 * lastlook.h says when, for a large cache. The modification time of an entry is the time of its
 * last use, a lock on a key's file says that a process is working on that key (lock.c), and the
 * name of a temporary directory identifies its owner (owned.c).
 */
#include "cachedir.h"
#include "lastlook.h"

#include "lease.h"
#include "lock.h"
#include "owned.h"
#include "core/base/directory.h"
#include "core/base/env.h"
#include "core/base/number.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_entry.h"
#include "abi/ck_jit_used.h"

#include <ctype.h>
#include <fcntl.h>
#include <time.h>

enum { HEX = 2 * CKJIT_BUILD_ID_SIZE };

/* ---- remains of killed compiles ---- */

char *cachedir_lock_path(const char *dir, const char *hex) {
  return xasprintf("%s/" CKJIT_LOCKS "/%.*s", dir, HEX, hex);
}

/* .tmp-<key>-XXXXXX, the name in versions before this one: nobody works there without the lock of
 * the key. */
static bool remove_unsigned(const char *dir, const char *name) {
  const char *hex = name + strlen(CKJIT_TEMPORARY);
  if (!str_starts(name, CKJIT_TEMPORARY) || strlen(hex) <= HEX)
    return true;
  int fd;
  autofree char *lock = cachedir_lock_path(dir, hex), *left = path_join(dir, name);
  bool removed = lock_try(&fd, lock) == LOCK_HELD || dir_remove(left);
  lock_release(fd, lock);
  return removed;
}

bool cachedir_remove_temporary(const char *dir, const char *name) {
  enum owned owned = owned_look(dir, name);
  if (owned == OWNED_NOT)
    return remove_unsigned(dir, name);
  if (owned == OWNED_LIVES)
    return true;
  autofree char *left = path_join(dir, name);
  return dir_remove(left);
}

/* Remove the remains in BELOW, a directory of the cache DIR, and add the number of names there to
 * *NAMES. */
static void sweep_files(const char *dir, const char *below, size_t *names) {
  autofree char *whole = path_join(dir, below);
  autoclose_dir *d = opendir(whole);
  struct timespec now;
  bool told = false; /* the time, if any file needs it */
  for (struct dirent *e; d && (e = readdir(d)); ++*names) {
    struct stat st;
    if (str_starts(e->d_name, CKJIT_TEMPORARY) || str_starts(e->d_name, CKJIT_BESIDE)) {
      if (strcmp(below, ".") == 0)
        cachedir_remove_temporary(dir, e->d_name);
    } else if (file_is_unfinished(e->d_name) &&
               fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
               (told || (told = file_clock(whole, &now))) && now.tv_sec - st.st_mtime > 3600)
      unlinkat(dirfd(d), e->d_name, 0);
  }
}

/* Remove lock files of killed compiles. */
static void sweep_locks(const char *dir) {
  autofree char *locks = path_join(dir, CKJIT_LOCKS);
  autoclose_dir *d = opendir(locks);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (strlen(e->d_name) != HEX)
      continue;
    autofree char *lock = path_join(locks, e->d_name);
    lock_remove(lock);
  }
  lease_sweep(locks);
}

/* Returns the number of names that were examined. */
static size_t sweep(const char *dir) {
  size_t names = 0;
  sweep_locks(dir);
  static const char *const parts[] = {".",        CKJIT_LOCKS,     CKJIT_LOGS,
                                      CKJIT_PCH,  CKJIT_COMPILERS, CKJIT_FRAGMENTS,
                                      CKJIT_HOST, CKJIT_USED};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    sweep_files(dir, parts[i], &names);
  return names;
}

void cachedir_sweep(const char *dir) {
  sweep(dir);
}

/* ---- capacity ---- */

bool cachedir_limits(struct cachedir_limits *limits, char **err) {
  static const char bytes[] = "CK_JIT_CACHE_MAX_SIZE", entries[] = "CK_JIT_CACHE_MAX_FILES";
  const char *size = env_get(bytes), *files = env_get(entries);
  *limits = (struct cachedir_limits){0};
  return (!size || number_size(bytes, size, 0, &limits->bytes, err)) &&
         (!files || number_read(entries, files, 0, UINT64_MAX, &limits->files, err));
}

static void add_item(struct cachedir_items *items, char *path, const struct stat *st, bool entry) {
  vec_push(items->list, items->n,
           (struct cachedir_item){.path = path,
                                  .entry = entry,
                                  .header = str_ends(path, ".pch"),
                                  .inode = st->st_ino,
                                  .used = st->st_mtim,
                                  .bytes = (uint64_t)st->st_size});
  items->bytes += (uint64_t)st->st_size;
  items->entries += entry;
}

/* Add the regular files of DIR whose names end with EXTENSION. */
static void add_items(struct cachedir_items *items, const char *dir, const char *extension,
                      bool entries) {
  autoclose_dir *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    struct stat st;
    if (e->d_name[0] != '.' && str_ends(e->d_name, extension) &&
        fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
      add_item(items, path_join(dir, e->d_name), &st, entries);
  }
}

/* Is it the precompiled header of a lazy unit (compile/unit/header.h)? It has the size of thousands
 * of kernels, and shortens compiles that may never come. */
static bool of_unit(const struct cachedir_item *item) {
  return item->header && str_ends(item->path, ".unit.pch");
}

static int used_first(const void *a, const void *b) {
  const struct timespec *x = &((const struct cachedir_item *)a)->used,
                        *y = &((const struct cachedir_item *)b)->used;
  int first = of_unit(b) - of_unit(a);
  if (first)
    return first;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static int by_inode(const void *a, const void *b) {
  ino_t x = *(const ino_t *)a, y = *(const ino_t *)b;
  return (x > y) - (x < y);
}

/* ---- mapped files ---- */

struct inodes {
  ino_t *list;
  size_t n;
};

/* Add the inodes that process PID has mapped. It compares inodes and not names: in a container the
 * cache has another name, and overlay file systems report another device. If a file on another file
 * system has the same inode number, an entry is kept that could have been removed. */
static void add_mapped(struct inodes *mapped, const char *pid) {
  autofree char *name = xasprintf("/proc/%s/maps", pid);
  char line[PATH_MAX + 128];
  FILE *f = fopen(name, "re");
  while (f && fgets(line, sizeof line, f)) {
    unsigned long long inode;
    if (sscanf(line, "%*s %*s %*s %*s %llu", &inode) != 1 || !inode)
      continue;
    vec_push(mapped->list, mapped->n, (ino_t)inode);
  }
  if (f)
    fclose(f);
}

static void find_mapped(struct inodes *mapped) {
  autoclose_dir *d = opendir("/proc");
  for (struct dirent *e; d && (e = readdir(d));)
    if (isdigit((unsigned char)e->d_name[0]))
      add_mapped(mapped, e->d_name);
  if (mapped->n)
    qsort(mapped->list, mapped->n, sizeof *mapped->list, by_inode);
}

static bool is_mapped(const struct inodes *mapped, ino_t inode) {
  return mapped->n && bsearch(&inode, mapped->list, mapped->n, sizeof *mapped->list, by_inode);
}

/* Was it used after it was listed? */
static bool used_since(const struct cachedir_item *item) {
  struct stat st;
  return lstat(item->path, &st) || st.st_ino != item->inode ||
         st.st_mtim.tv_sec != item->used.tv_sec || st.st_mtim.tv_nsec != item->used.tv_nsec;
}

/* A precompiled header is valid only with its list, so the list is removed first. */
static bool remove_item(const char *dir, const struct cachedir_item *item) {
  if (!item->header)
    return unlink(item->path) == 0;
  size_t n = strlen(item->path) - strlen(".pch");
  int fd;
  autofree char *lock = cachedir_lock_path(dir, path_base(item->path));
  bool busy = lock_try(&fd, lock) == LOCK_HELD;
  static const char *const ends[] = {"list", "pch", "h"};
  for (size_t i = 0; i < 3 && !busy; i++) {
    autofree char *file = xasprintf("%.*s.%s", (int)n, item->path, ends[i]);
    unlink(file);
  }
  lock_release(fd, lock);
  return !busy;
}

static bool too_much(const struct cachedir_items *items, const struct cachedir_limits *limits) {
  return (limits->bytes && items->bytes > limits->bytes) ||
         (limits->files && items->entries > limits->files);
}

/* The size that is left after eviction by LIMITS: with many items some more room is made, so that
 * the next compile does not have to list all of them. */
static struct cachedir_limits with_room(const struct cachedir_items *items,
                                        const struct cachedir_limits *limits) {
  enum { MANY = 1024, ROOM = 256 };
  struct cachedir_limits l = *limits;
  if (items->n >= MANY) {
    l.bytes -= l.bytes / ROOM;
    l.files -= l.files / ROOM;
  }
  return l;
}

/* Sort ITEMS, and find the mapped ones. */
static void put_in_order(struct cachedir_items *items) {
  struct inodes mapped = {0};
  find_mapped(&mapped);
  for (size_t i = 0; i < items->n; i++)
    items->list[i].mapped = is_mapped(&mapped, items->list[i].inode);
  free(mapped.list);
  if (items->n)
    qsort(items->list, items->n, sizeof *items->list, used_first);
}

static void remove_oldest(const char *dir, struct cachedir_items *items,
                          const struct cachedir_limits *limits, const char *keep) {
  const struct cachedir_limits left = with_room(items, limits);
  put_in_order(items);
  for (size_t i = 0; i < items->n && too_much(items, &left); i++) {
    const struct cachedir_item *item = &items->list[i];
    bool helps = item->entry || (left.bytes && items->bytes > left.bytes);
    if (!helps || (keep && strcmp(path_base(item->path), keep) == 0) || item->mapped ||
        used_since(item) || !remove_item(dir, item))
      continue;
    items->bytes -= item->bytes;
    items->entries -= item->entry;
  }
}

/* Add all items of DIR that count. */
static void add_all(struct cachedir_items *items, const char *dir) {
  autofree char *logs = path_join(dir, CKJIT_LOGS), *headers = path_join(dir, CKJIT_PCH);
  autofree char *fragments = path_join(dir, CKJIT_FRAGMENTS), *host = path_join(dir, CKJIT_HOST);
  add_items(items, dir, ".so", true);
  add_items(items, host, ".so", false);
  add_items(items, logs, ".log", false);
  add_items(items, headers, ".pch", false);
  add_items(items, fragments, ".o", false);
  add_items(items, fragments, ".linked", false);
}

void cachedir_list(struct cachedir_items *items, const char *dir) {
  *items = (struct cachedir_items){0};
  add_all(items, dir);
  put_in_order(items);
}

void cachedir_list_free(struct cachedir_items *items) {
  for (size_t i = 0; i < items->n; i++)
    free(items->list[i].path);
  free(items->list);
  *items = (struct cachedir_items){0};
}

/* Is SUM within LIMITS? */
static bool is_within(const struct cachedir_sum *sum, const struct cachedir_limits *limits) {
  const struct cachedir_items items = {.bytes = sum->bytes, .entries = sum->entries};
  return (!limits->bytes && !limits->files) || (sum->counted && !too_much(&items, limits));
}

/* As cachedir_limit. If NAMES is not 0, the remaining size is written down, and processes that
 * waited for this one use it. */
static void limit(const char *dir, const struct cachedir_limits *limits, const char *keep,
                  size_t names) {
  if (!limits->bytes && !limits->files)
    return;
  /* One process at a time: otherwise many compiles that end together would each remove the whole
   * excess. */
  autofree char *lock = path_join(dir, CKJIT_LOCKS "/capacity"), *err = NULL;
  int fd;
  bool waited;
  lock_take(&fd, lock, &(struct lock_wait){.patience = 20}, &waited, &err);
  struct cachedir_items items = {0};
  struct cachedir_sum sum;
  if (!names || !waited || !lastlook_read(&sum, dir) || !is_within(&sum, limits)) {
    add_all(&items, dir);
    if (too_much(&items, limits))
      remove_oldest(dir, &items, limits, keep);
    sum = (struct cachedir_sum){.counted = true, .bytes = items.bytes, .entries = items.entries};
    if (names)
      lastlook_write(dir, names, &sum);
    cachedir_list_free(&items);
  }
  lock_release(fd, lock);
}

void cachedir_limit(const char *dir, const struct cachedir_limits *limits, const char *keep) {
  limit(dir, limits, keep, 0);
}

/* ---- not after each compile ---- */

void cachedir_tidy(const char *dir, const struct cachedir_limits *limits, const char *placed) {
  struct cachedir_sum sum;
  struct stat st;
  autofree char *file = path_join(dir, placed);
  bool known = lastlook_read(&sum, dir);
  bool added = *placed && lstat(file, &st) == 0;
  if (added) {
    sum.bytes += (uint64_t)st.st_size;
    sum.entries++;
  }
  if (known && is_within(&sum, limits)) {
    if (added)
      lastlook_add(dir, (uint64_t)st.st_size);
    return;
  }
  size_t names = sweep(dir);
  lastlook_write(dir, names, &(struct cachedir_sum){0});
  limit(dir, limits, *placed ? placed : NULL, names);
}
