/* memory.c - see memory.h.
 *
 * A container's limit is not in /proc/meminfo. A batch system's limit is often not in the control
 * group of the job's own process but in one of its ancestors, so all groups up to the root are
 * checked.
 */
#include "memory.h"
#include "core/base/directory.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_jobs.h"

#include <ctype.h>
#include <inttypes.h>
#include <unistd.h>

enum { MACHINE_TEXT = 64 << 10 }; /* /proc/vmstat has thousands of bytes */

/* The number after KEY at the start of a line of TEXT, or the first number for "". False if there
 * is none, as in "max". */
static bool number_in(const char *text, const char *key, uint64_t *n) {
  for (const char *line = text; line;) {
    const char *at = str_starts(line, key) ? line + strlen(key) : "";
    if (isdigit((unsigned char)at[strspn(at, " ")])) {
      *n = strtoull(at, NULL, 10);
      return true;
    }
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  return false;
}

static bool machine_number(const char *file, const char *key, uint64_t *n) {
  char text[MACHINE_TEXT];
  return ckjit_machine_text(file, text, sizeof text) && number_in(text, key, n);
}

/* ---- control groups ---- */

static const struct version {
  /* above memory.high a group is not killed, but slowed to a standstill */
  const char *limits[2];
  const char *usage;
  const char *cache; /* in memory.stat: inactive file pages */
  const char *kills; /* file with a line "oom_kill N" */
} versions[] = {
    {{"memory.max", "memory.high"}, "memory.current", "inactive_file ", "memory.events"},
    {{"memory.limit_in_bytes", NULL},
     "memory.usage_in_bytes",
     "total_inactive_file ",
     "memory.oom_control"},
};

static const struct version *version_of(const struct ckjit_cgroup *g) {
  return &versions[g->first];
}

static bool group_number(const struct ckjit_cgroup *g, const char *file, const char *key,
                         uint64_t *n) {
  char text[MACHINE_TEXT];
  return ckjit_cgroup_text(g, file, text, sizeof text) && number_in(text, key, n);
}

/* The limit of G itself; UINT64_MAX: none. */
static uint64_t limit_of(const struct ckjit_cgroup *g) {
  const struct version *v = version_of(g);
  uint64_t least = UINT64_MAX, limit;
  for (size_t i = 0; i < 2 && v->limits[i]; i++)
    if (group_number(g, v->limits[i], "", &limit) && limit < least)
      least = limit;
  return least;
}

/* The bytes that are left below the limit of G itself. */
static uint64_t left_in(const struct ckjit_cgroup *g) {
  const struct version *v = version_of(g);
  uint64_t usage, limit = limit_of(g), cache = 0;
  if (limit == UINT64_MAX || !group_number(g, v->usage, "", &usage))
    return UINT64_MAX;
  group_number(g, "memory.stat", v->cache, &cache);
  usage = usage > cache ? usage - cache : 0;
  return limit > usage ? limit - usage : 0;
}

/* The least that OF says of this process's group and of each above it. */
static uint64_t least_of_groups(uint64_t (*of)(const struct ckjit_cgroup *g)) {
  struct ckjit_cgroup g;
  uint64_t least = UINT64_MAX;
  ckjit_cgroup_own(&g, "memory");
  do {
    uint64_t here = of(&g);
    least = here < least ? here : least;
  } while (ckjit_cgroup_up(&g));
  return least;
}

uint64_t memory_dirty(void) {
  uint64_t dirty, writing;
  bool known = machine_number("/proc/meminfo", "Dirty:", &dirty) &&
               machine_number("/proc/meminfo", "Writeback:", &writing);
  return known ? (dirty + writing) * 1024 : UINT64_MAX;
}

uint64_t memory_limit(void) {
  return least_of_groups(limit_of);
}

uint64_t memory_free(void) {
  uint64_t kib, left = least_of_groups(left_in);
  if (machine_number("/proc/meminfo", "MemAvailable:", &kib) && kib * 1024 < left)
    left = kib * 1024;
  return left;
}

uint64_t memory_kills(void) {
  uint64_t all = 0, n;
  struct ckjit_cgroup g;
  ckjit_cgroup_own(&g, "memory");
  if (machine_number("/proc/vmstat", "oom_kill ", &n))
    all += n;
  if (group_number(&g, version_of(&g)->kills, "oom_kill ", &n))
    all += n;
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
  autofree char *text = file_read(path, &len);
  char *at = text ? strrchr(text, ')') : NULL;
  long long parent, pages;
  bool ok = at && sscanf(at + 1,
                         " %*c %lld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                         "%*s %*s %*s %*s %lld",
                         &parent, &pages) == 2;
  if (ok)
    *p = (struct process){(pid_t)strtol(name, NULL, 10), (pid_t)parent,
                          (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE)};
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
  autofree struct process *list = NULL;
  size_t count = 0;
  autoclose_dir *d = opendir("/proc");
  for (struct dirent *e; d && (e = readdir(d));) {
    if (!isdigit((unsigned char)e->d_name[0]))
      continue;
    vec_reserve(list, count, 1);
    count += read_process(e->d_name, &list[count]);
  }
  if (count)
    qsort(list, count, sizeof *list, by_pid);
  for (size_t i = 0; i < n; i++)
    bytes[i] = 0;
  for (size_t i = 0; i < count; i++) {
    size_t k = ancestor(list, count, list[i].pid, pids, n);
    if (k < n)
      bytes[k] += list[i].bytes;
  }
}
