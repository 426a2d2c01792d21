/* memory.c - see memory.h.
 *
 * A container's limit is not in /proc/meminfo. A batch system's limit is often not in the control
 * group of the job's own process but in one of its ancestors, so all groups up to the root are
 * checked. In a container, /proc/self/cgroup may name groups of the host that do not exist inside;
 * then the top of the mounted hierarchy is used.
 */
#include "memory.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_below_root(const char *file) {
  const char *root = env_get("CK_JIT_MEMORY_ROOT");
  char *path = xasprintf("%s%s", root ? root : "", file);
  size_t len;
  char *text = file_read(path, &len);
  free(path);
  return text;
}

/* The number after KEY at the start of a line, or the first number for "". False if there is none,
 * as in "max". */
static bool number_in(const char *file, const char *key, uint64_t *n) {
  char *text = read_below_root(file);
  bool found = false;
  for (const char *line = text; line && !found;) {
    if (str_starts(line, key)) {
      const char *at = line + strlen(key);
      char *end;
      *n = strtoull(at, &end, 10);
      found = end != at;
    }
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  free(text);
  return found;
}

/* ---- control groups ---- */

static const struct version {
  const char *mount;
  /* above memory.high a group is not killed, but slowed to a standstill */
  const char *limits[2];
  const char *usage;
  const char *cache; /* in memory.stat: inactive file pages */
  const char *kills; /* file with a line "oom_kill N" */
} versions[] = {
    {"/sys/fs/cgroup",
     {"memory.max", "memory.high"},
     "memory.current",
     "inactive_file ",
     "memory.events"},
    {"/sys/fs/cgroup/memory",
     {"memory.limit_in_bytes", NULL},
     "memory.usage_in_bytes",
     "total_inactive_file ",
     "memory.oom_control"},
};

/* The memory group of this process, from /proc/self/cgroup: "4:memory:/a/b" in version 1, "0::/a/b"
 * in version 2; free() it. */
static char *own_group(const struct version **version) {
  char *text = read_below_root("/proc/self/cgroup"), *group = NULL;
  *version = &versions[0];
  for (char *line = text, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
      continue;
    *path++ = 0;
    char *list = xasprintf(",%s,", controllers + 1);
    bool first = strstr(list, ",memory,") != NULL, second = strcmp(list, ",,") == 0;
    free(list);
    if (first || (second && !group)) {
      free(group);
      group = xstrdup(path);
      if (first) {
        *version = &versions[1];
        break;
      }
    }
  }
  free(text);
  return group ? group : xstrdup("/");
}

static bool in_group(const struct version *v, const char *group, const char *file, const char *key,
                     uint64_t *n) {
  char *path = xasprintf("%s%s/%s", v->mount, strcmp(group, "/") == 0 ? "" : group, file);
  bool found = number_in(path, key, n);
  free(path);
  return found;
}

/* The bytes that are left below the limit of GROUP itself. */
static uint64_t left_in(const struct version *v, const char *group) {
  uint64_t usage, limit, cache = 0, left = UINT64_MAX;
  if (!in_group(v, group, v->usage, "", &usage))
    return left;
  in_group(v, group, "memory.stat", v->cache, &cache);
  usage = usage > cache ? usage - cache : 0;
  for (size_t i = 0; i < 2 && v->limits[i]; i++)
    if (in_group(v, group, v->limits[i], "", &limit)) {
      uint64_t here = limit > usage ? limit - usage : 0;
      left = here < left ? here : left;
    }
  return left;
}

uint64_t memory_dirty(void) {
  uint64_t dirty, writing;
  bool known = number_in("/proc/meminfo", "Dirty:", &dirty) &&
               number_in("/proc/meminfo", "Writeback:", &writing);
  return known ? (dirty + writing) * 1024 : UINT64_MAX;
}

uint64_t memory_free(void) {
  uint64_t kib, least = number_in("/proc/meminfo", "MemAvailable:", &kib) ? kib * 1024 : UINT64_MAX;
  const struct version *v;
  char *group = own_group(&v);
  for (;;) {
    uint64_t left = left_in(v, group);
    least = left < least ? left : least;
    if (strcmp(group, "/") == 0)
      break;
    char *up = path_dir(group);
    free(group);
    group = strcmp(up, ".") == 0 ? xstrdup("/") : xstrdup(up);
    free(up);
  }
  free(group);
  return least;
}

uint64_t memory_kills(void) {
  uint64_t all = 0, n;
  const struct version *v;
  char *group = own_group(&v);
  if (number_in("/proc/vmstat", "oom_kill ", &n))
    all += n;
  if (in_group(v, group, v->kills, "oom_kill ", &n))
    all += n;
  free(group);
  return all;
}

/* ---- processes ---- */

struct process {
  pid_t pid, parent;
  uint64_t bytes;
};

/* /proc/PID/stat: "PID (NAME) STATE PARENT …". Field 24 is the number of resident pages. NAME may
 * contain any character. */
static bool read_process(const char *name, struct process *p) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%.20s/stat", name);
  size_t len;
  char *text = file_read(path, &len), *at = text ? strrchr(text, ')') : NULL;
  long long parent, pages;
  bool ok = at && sscanf(at + 1,
                         " %*c %lld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                         "%*s %*s %*s %*s %lld",
                         &parent, &pages) == 2;
  if (ok)
    *p = (struct process){(pid_t)strtol(name, NULL, 10), (pid_t)parent,
                          (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE)};
  free(text);
  return ok;
}

static int by_pid(const void *a, const void *b) {
  const struct process *x = a, *y = b;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct process *find(const struct process *list, size_t n, pid_t pid) {
  struct process wanted = {.pid = pid};
  return n ? bsearch(&wanted, list, n, sizeof *list, by_pid) : NULL;
}

/* The index in PIDS of PID or of the nearest process that started it; N if there is none. */
static size_t ancestor(const struct process *list, size_t count, pid_t pid, const pid_t *pids,
                       size_t n) {
  /* A PID that was reused meanwhile could close a loop of parents. */
  for (int depth = 0; depth < 64; depth++) {
    for (size_t k = 0; k < n; k++)
      if (pids[k] == pid)
        return k;
    const struct process *p = find(list, count, pid);
    if (!p)
      break;
    pid = p->parent;
  }
  return n;
}

void memory_of(const pid_t *pids, size_t n, uint64_t *bytes) {
  struct process *list = NULL;
  size_t count = 0;
  DIR *d = opendir("/proc");
  for (struct dirent *e; d && (e = readdir(d));) {
    if (!isdigit((unsigned char)e->d_name[0]))
      continue;
    vec_reserve(list, count, 1);
    count += read_process(e->d_name, &list[count]);
  }
  if (d)
    closedir(d);
  if (count)
    qsort(list, count, sizeof *list, by_pid);
  for (size_t i = 0; i < n; i++)
    bytes[i] = 0;
  for (size_t i = 0; i < count; i++) {
    size_t k = ancestor(list, count, list[i].pid, pids, n);
    if (k < n)
      bytes[k] += list[i].bytes;
  }
  free(list);
}
