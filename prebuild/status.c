/* status.c - `status`: what is being compiled into a cache at this moment, by whom, and for whom.
 *
 * There is no daemon to ask. A compile works in a directory of the cache whose name says which process it is
 * (core/cache/owned.c); that it lives, is seen as a sweep sees it. What that process is at, and for whom, is in /proc:
 *
 *     the job                    has called a kernel, and waits
 *       ckjit-compile            the keeper (compile/keeper.c)
 *         ckjit-compile          owns the directory, --output CACHE/STEM.so --build-id ID
 *
 * A ckjit-compile with the same build id and cache that has no directory waits for this one. Of a compile in another
 * container or on another machine only the directory is seen: the build id, and since when.
 */
#include "prebuild.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/cachedir.h"
#include "core/cache/owned.h"
#include "core/cache/times.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEX = 2 * CKJIT_BUILD_ID_SIZE };

/* A ckjit-compile of this cache. */
struct worker {
  long pid;
  char *stem, *build_id; /* as asked for: what is compiled may be a variant of it */
  char *job;             /* "python3 (pid 12)" */
  long job_pid;          /* 0: it has ended */
};

struct workers {
  struct worker *list;
  size_t n;
};

/* ---- processes ---- */

/* The parent of PID; 0 if it is not known. */
static long parent_of(long pid) {
  char *name = xasprintf("/proc/%ld/stat", pid);
  size_t len;
  char *text = file_read(name, &len), *behind = text ? strrchr(text, ')') : NULL;
  long parent = 0;
  if (!behind || sscanf(behind + 1, " %*c %ld", &parent) != 1)
    parent = 0;
  free(text);
  free(name);
  return parent;
}

/* The words of PID's command line, each with its NUL, and how long all are; free() them. NULL: there are none. */
static char *command_of(long pid, size_t *len) {
  char *name = xasprintf("/proc/%ld/cmdline", pid), *text = file_read(name, len);
  free(name);
  if (text && *len)
    return text;
  free(text);
  return NULL;
}

static bool is_compile(long pid) {
  size_t len;
  char *text = command_of(pid, &len);
  bool is = text && strcmp(path_base(text), "ckjit-compile") == 0;
  free(text);
  return is;
}

/* The value behind WORD among the LEN bytes of words at TEXT; borrowed. NULL: there is none. */
static const char *value_of(const char *text, size_t len, const char *word) {
  for (const char *p = text; p < text + len; p += strlen(p) + 1)
    if (strcmp(p, word) == 0 && p + strlen(p) + 1 < text + len)
      return p + strlen(p) + 1;
  return NULL;
}

/* Who wants what W makes: the first process above it that is no ckjit-compile. */
static void find_job(struct worker *w) {
  long pid = parent_of(w->pid);
  while (pid > 1 && is_compile(pid))
    pid = parent_of(pid);
  size_t len;
  char *name = xasprintf("/proc/%ld/comm", pid), *text = pid > 1 ? file_read(name, &len) : NULL;
  if (text) {
    text[strcspn(text, "\n")] = 0;
    w->job_pid = pid;
    w->job = xasprintf("%s (pid %ld)", text, pid);
  } else {
    w->job = xstrdup("nobody any more");
  }
  free(text);
  free(name);
}

/* PID, if it is a ckjit-compile of the cache DIR and no other's keeper. */
static void add_worker(struct workers *all, const char *dir, long pid) {
  size_t len;
  char *text = command_of(pid, &len);
  const char *output = NULL, *id = NULL;
  if (text && strcmp(path_base(text), "ckjit-compile") == 0 && is_compile(parent_of(pid))) {
    output = value_of(text, len, "--output");
    id = value_of(text, len, "--build-id");
  }
  char *cache = output ? path_dir(output) : NULL;
  if (cache && id && strcmp(cache, dir) == 0) {
    struct worker *w = vec_add(all->list, all->n);
    *w = (struct worker){.pid = pid, .stem = path_stem(output), .build_id = xstrdup(id)};
    find_job(w);
  }
  free(cache);
  free(text);
}

static void find_workers(struct workers *all, const char *dir) {
  DIR *d = opendir("/proc");
  for (struct dirent *e; d && (e = readdir(d));)
    if (isdigit((unsigned char)e->d_name[0]))
      add_worker(all, dir, strtol(e->d_name, NULL, 10));
  if (d)
    closedir(d);
}

static const struct worker *worker_of(const struct workers *all, long pid) {
  for (size_t i = 0; pid && i < all->n; i++)
    if (all->list[i].pid == pid)
      return &all->list[i];
  return NULL;
}

/* ---- lines ---- */

/* Seconds since PATH was made, by its file system; negative: it does not say, or PATH is gone. */
static double age_of(const char *dir, const char *path) {
  struct statx st;
  struct timespec now;
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) || !(st.stx_mask & STATX_BTIME) ||
      !file_clock(dir, &now))
    return -1;
  double age =
      (double)(now.tv_sec - st.stx_btime.tv_sec) + ((double)now.tv_nsec - st.stx_btime.tv_nsec) / 1e9;
  return age > 0 ? age : 0;
}

static void add_last(struct buf *line, const struct times *times, const char *stem) {
  uint64_t ms;
  if (stem && times_find(times, stem, &ms))
    buf_printf(line, "\t%.1f s of a processor last time", (double)ms / 1e3);
  else
    buf_puts(line, "\tnot compiled here before");
}

/* Who waits for W's compile, besides its own job. */
static void add_waiting(struct buf *line, const struct workers *all, const struct worker *w) {
  for (size_t i = 0; i < all->n; i++) {
    const struct worker *other = &all->list[i];
    if (other != w && strcmp(other->build_id, w->build_id) == 0 && strcmp(other->stem, w->stem) == 0)
      buf_printf(line, ", %s", other->job);
  }
}

/* The compile in the directory NAME of the cache DIR. */
static void print_compile(const char *dir, const char *name, long pid, const struct workers *all,
                          const struct times *times) {
  struct buf line = {0};
  const struct worker *w = worker_of(all, pid);
  char *path = path_join(dir, name);
  double age = age_of(dir, path);
  if (w)
    buf_puts(&line, w->stem);
  else
    buf_printf(&line, "build id %.*s", HEX, name + strlen(CKJIT_TEMPORARY));
  if (age >= 0)
    buf_printf(&line, "\t%.1f s", age);
  else
    buf_puts(&line, "\t?");
  add_last(&line, times, w ? w->stem : NULL);
  if (w) {
    buf_printf(&line, "\tckjit-compile (pid %ld)\tfor %s", pid, w->job);
    add_waiting(&line, all, w);
  } else {
    buf_puts(&line,
             pid ? "\ta process of which nothing is known" : "\tin another container or on another machine");
  }
  puts(line.data);
  buf_free(&line);
  free(path);
}

/* A cache of ours that may be looked into; false: there is none, which was said. */
static bool check_cache(const struct request *r) {
  if (!file_exists(r->cache) && !r->cache_named) {
    note("there is no cache directory %s yet", r->cache);
    return false;
  }
  const char *why = ckjit_cache_check(r->cache);
  if (why)
    die(EXIT_FAILED, "status: the cache directory %s %s", r->cache, why);
  char *locks = path_join(r->cache, CKJIT_LOCKS);
  if (!file_is_dir(locks))
    note("nothing was ever compiled into %s", r->cache);
  free(locks);
  return true;
}

int prebuild_status(struct request *r) {
  struct workers all = {0};
  struct times times = {0};
  char *file = path_join(r->cache, TIMES_FILE), *err = NULL;
  size_t n = 0;
  if (r->names.n || r->lists || r->all || r->matrix)
    die(EXIT_USAGE, "status: expected no blob; see ckjit-prebuild status --help");
  bool looks = check_cache(r);
  if (looks && file_exists(file) && !times_read(&times, file, TIMES_LAST, &err)) {
    warn("%s", err);
    free(err);
  }
  DIR *d = looks ? opendir(r->cache) : NULL;
  if (looks && !d)
    die(EXIT_FAILED, "status: the cache directory %s cannot be read: %s", r->cache, strerror(errno));
  if (looks)
    find_workers(&all, r->cache);
  for (struct dirent *e; d && (e = readdir(d));) {
    long pid;
    if (!str_starts(e->d_name, CKJIT_TEMPORARY) || !owned_process(e->d_name, &pid) ||
        owned_look(r->cache, e->d_name) != OWNED_LIVES)
      continue;
    print_compile(r->cache, e->d_name, pid, &all, &times);
    n++;
  }
  if (d)
    closedir(d);
  if (looks && !n)
    note("nothing is being compiled into %s", r->cache);
  for (size_t i = 0; i < all.n; i++) {
    free(all.list[i].stem);
    free(all.list[i].build_id);
    free(all.list[i].job);
  }
  free(all.list);
  times_free(&times);
  free(file);
  if (fflush(stdout) || ferror(stdout))
    die(EXIT_FAILED, "standard output cannot be written: %s", strerror(errno));
  return EXIT_OK;
}
