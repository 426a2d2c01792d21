/* status.c - `status`: the compiles that are running for a cache at this moment, their processes
 * and jobs.
 *
 * There is no daemon to ask. A compile works in a directory of the cache whose name identifies its
 * process (core/cache/owned.c); a sweep finds out in the same way whether it lives. /proc shows
 * what that process compiles, and for which job:
 *
 *     the job                    has called a kernel, and waits
 *       ckjit-compile            the keeper (compile/keeper.c)
 *         ckjit-compile          owns the directory, --output CACHE/STEM.so --build-id ID
 *
 * A ckjit-compile with the same build id and cache but without a directory waits for this one. A
 * compile in another container or on another machine has written into its lock
 * (core/cache/holder.h): its process, its job and its start. Compiles and durations have the same
 * words as in the message of a waiting call.
 *
 * A compile on a machine that died keeps its directory. If it had a lease (core/cache/lease.h),
 * that is watched for a few beats, as by a process that waits for it.
 */
#include "cache.h"
#include "help.h"
#include "prebuild.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/vec.h"
#include "core/cache/cachedir.h"
#include "core/cache/holder.h"
#include "core/cache/lease.h"
#include "core/cache/owned.h"
#include "core/cache/times.h"

#include <ctype.h>
#include <dirent.h>
#include <time.h>

enum { HEX = 2 * CKJIT_BUILD_ID_SIZE };

/* A ckjit-compile of this cache. */
struct worker {
  long pid;
  /* the requested ones: a variant may be compiled instead */
  char *stem, *build_id;
  char *job;    /* "python3 (pid 12)" */
  long job_pid; /* 0: it has ended */
};

struct workers {
  struct worker *list;
  size_t n;
};

/* ---- processes ---- */

/* The parent of PID; 0 if it is unknown. */
static long parent_of(long pid) {
  autofree char *name = xasprintf("/proc/%ld/stat", pid);
  size_t len;
  autofree char *text = file_read(name, &len);
  char *behind = text ? strrchr(text, ')') : NULL;
  long parent = 0;
  if (!behind || sscanf(behind + 1, " %*c %ld", &parent) != 1)
    parent = 0;
  return parent;
}

/* The words of PID's command line, each with its NUL, and their total length; free() them. NULL:
 * there are none. */
static char *command_of(long pid, size_t *len) {
  autofree char *name = xasprintf("/proc/%ld/cmdline", pid);
  char *text = file_read(name, len);
  if (text && *len)
    return text;
  free(text);
  return NULL;
}

/* It uses the system's name of the process: under qemu-user the first word of its command is the
 * emulator's. */
static bool is_compile(long pid) {
  size_t len;
  autofree char *name = xasprintf("/proc/%ld/comm", pid), *text = file_read(name, &len);
  return text && strcmp(text, "ckjit-compile\n") == 0;
}

/* The value after WORD among the LEN bytes of words at TEXT; borrowed. NULL: there is none. */
static const char *value_of(const char *text, size_t len, const char *word) {
  for (const char *p = text; p < text + len; p += strlen(p) + 1)
    if (strcmp(p, word) == 0 && p + strlen(p) + 1 < text + len)
      return p + strlen(p) + 1;
  return NULL;
}

/* The parent of PID; for one that compiles ahead (compile/ahead.c), which has no parent, the
 * process for which it does. */
static long above(long pid) {
  size_t len;
  autofree char *text = command_of(pid, &len);
  const char *of = text ? value_of(text, len, "--ahead") : NULL;
  return of ? strtol(of, NULL, 10) : parent_of(pid);
}

/* Set the job of W: the first process above it that is not a ckjit-compile. */
static void find_job(struct worker *w) {
  long pid = above(w->pid);
  while (pid > 1 && is_compile(pid))
    pid = above(pid);
  struct buf job = {0};
  if (pid > 1 && holder_add_process(&job, pid))
    w->job_pid = pid;
  else
    buf_puts(&job, "a job that has ended");
  w->job = job.data;
}

/* Add PID, if it is a ckjit-compile of the cache DIR and not the keeper of another. */
static void add_worker(struct workers *all, const char *dir, long pid) {
  size_t len;
  autofree char *text = command_of(pid, &len);
  const char *output = NULL, *id = NULL;
  if (text && strcmp(path_base(text), "ckjit-compile") == 0 && is_compile(parent_of(pid))) {
    output = value_of(text, len, "--output");
    id = value_of(text, len, "--build-id");
  }
  autofree char *cache = output ? path_dir(output) : NULL;
  if (cache && id && strcmp(cache, dir) == 0) {
    struct worker *w = vec_add(all->list, all->n);
    *w = (struct worker){.pid = pid, .stem = path_stem(output), .build_id = xstrdup(id)};
    find_job(w);
  }
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

/* Seconds since PATH was made, by its file system; negative: unknown, or PATH is gone. */
static double age_of(const char *dir, const char *path) {
  struct statx st;
  struct timespec now;
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) ||
      !(st.stx_mask & STATX_BTIME) || !file_clock(dir, &now))
    return -1;
  double age = (double)(now.tv_sec - st.stx_btime.tv_sec) +
               ((double)now.tv_nsec - st.stx_btime.tv_nsec) / 1e9;
  return age > 0 ? age : 0;
}

/* The processes that wait for W's compile, besides its own job. */
static void add_waiting(struct buf *line, const struct workers *all, const struct worker *w) {
  for (size_t i = 0; i < all->n; i++) {
    const struct worker *other = &all->list[i];
    if (other != w && strcmp(other->build_id, w->build_id) == 0 &&
        strcmp(other->stem, w->stem) == 0)
      buf_printf(line, ", %s", other->job);
  }
}

/* The text of the holder of the lock whose file WATCH has, if that is the compile's process. */
static bool read_holder(struct holder *h, const struct lease_watch *watch) {
  return holder_read(h, watch->path) && h->pid == watch->pid &&
         h->here == owned_is_our_space(watch->space);
}

/* Seconds for which it has compiled; negative: unknown. */
static double seconds_of(const char *dir, const char *name, const struct holder *h) {
  autofree char *path = path_join(dir, name);
  return h ? holder_seconds(h, dir) : age_of(dir, path);
}

/* The job of W, whose lock H is; NULL: it has none. The parent of a compile that outlives its
 * caller may be init, or a supervisor that is not a job. The lock has the job for which the compile
 * was started. */
static void add_job(struct buf *line, const struct worker *w, const struct holder *h) {
  if (!h || h->job_pid <= 0)
    buf_puts(line, w->job);
  else if (!holder_add_process(line, h->job_pid))
    buf_puts(line, "a job that has ended");
}

/* The process that compiles, and its job. W is a process here, H the content of the lock; either
 * may be NULL. */
static void add_who(struct buf *line, long pid, const struct worker *w, const struct holder *h,
                    const struct workers *all) {
  const struct holder here = {.pid = pid, .here = true};
  buf_puts(line, "\t");
  if (!w && !h) {
    buf_puts(line, pid ? "an unknown process" : "in another container or on another machine");
    return;
  }
  holder_add(line, "ckjit-compile", w ? &here : h);
  buf_puts(line, "\tfor ");
  if (!w) {
    holder_add_job(line, h);
    return;
  }
  add_job(line, w, h);
  add_waiting(line, all, w);
}

/* Print the compile in the directory NAME of the cache DIR. */
static void print_compile(const char *dir, const char *name, const struct lease_watch *watch,
                          const struct workers *all, const struct times *times) {
  autofree_buf line = {0};
  struct holder holder;
  long pid = owned_is_our_space(watch->space) ? watch->pid : 0;
  const struct worker *w = worker_of(all, pid);
  const struct holder *h = read_holder(&holder, watch) ? &holder : NULL;
  double seconds = seconds_of(dir, name, h);
  uint64_t ms = 0;
  if (w)
    buf_puts(&line, w->stem);
  else
    buf_printf(&line, "build id %.*s", HEX, name + strlen(CKJIT_TEMPORARY));
  if (seconds >= 0)
    buf_printf(&line, "\t%.1f s\t", seconds);
  else
    buf_puts(&line, "\t?\t");
  times_say(&line, w && times_find(times, w->stem, &ms), ms);
  add_who(&line, pid, w, h, all);
  if (watch->life == LEASE_SILENT)
    buf_printf(&line, "\tno sign of life for %d s", CACHE_WATCH_SECONDS);
  if (watch->life == LEASE_OTHERS)
    buf_puts(&line, "\tgiven up by others");
  puts(line.data);
}

/* Add NAME in the cache DIR to NAMES and WATCHES, if it is the directory of a compile. */
static void add_compile(const char *dir, const char *name, struct argv *names,
                        struct lease_watch **watches) {
  struct lease_watch watch = {0};
  if (!str_starts(name, CKJIT_TEMPORARY) || !owned_process(name, &watch.pid, watch.space) ||
      owned_look(dir, name) != OWNED_LIVES)
    return;
  size_t n = names->n;
  watch.path = cachedir_lock_path(dir, name + strlen(CKJIT_TEMPORARY));
  argv_add(names, name);
  vec_push(*watches, n, watch);
}

int prebuild_status(struct request *r) {
  struct workers all = {0};
  struct times times = {0};
  autofree char *file = path_join(r->cache, TIMES_FILE);
  char *err = NULL;
  autofree_argv names = {0};
  autofree struct lease_watch *watches = NULL;
  if (r->names.n || r->lists || r->all || r->matrix)
    die_usage(r, "expected no blob");
  bool looks = cache_open(r);
  autofree char *locks = path_join(r->cache, CKJIT_LOCKS);
  if (looks && !file_is_dir(locks))
    note("nothing has been compiled into %s yet", r->cache);
  if (looks && file_exists(file) && !times_read(&times, file, TIMES_LAST, &err))
    warn("%s", err);
  DIR *d = looks ? opendir(r->cache) : NULL;
  if (looks && !d)
    die(EXIT_FAILED, "status: the cache directory %s cannot be read: %s", r->cache,
        strerror(errno));
  if (looks)
    find_workers(&all, r->cache);
  for (struct dirent *e; d && (e = readdir(d));)
    add_compile(r->cache, e->d_name, &names, &watches);
  if (d)
    closedir(d);
  lease_watch(watches, names.n, CACHE_WATCH_SECONDS);
  for (size_t i = 0; i < names.n; i++) {
    print_compile(r->cache, names.args[i], &watches[i], &all, &times);
    free(watches[i].path);
  }
  if (looks && !names.n)
    note("nothing is being compiled into %s", r->cache);
  streams_answered();
  return EXIT_OK;
}
