/* ck_jit_jobs.h - how many compilers may run at the same time: one rule for the runtime,
 * libckjit.so and the programs (core/base/jobs.h adds memory).
 *
 * CK_JIT_JOBS, else MAX_JOBS, by which users of PyTorch's extensions limit their builds, else the
 * processors that this process may use: by its affinity, and by the CPU quota of its control group
 * and of each group above it. A container with a quota of 8 processors sees all 192 of its host,
 * and 192 compilers would share the 8. A control group that cannot be read sets no limit.
 *
 * In a container /proc/self/cgroup may name groups of the host that do not exist inside. Then the
 * top of the mounted hierarchy, which the walk ends with, is the container's own group.
 *
 * libc only, no allocation, no state, thread-safe.
 */
#ifndef CK_JIT_JOBS_H
#define CK_JIT_JOBS_H

#include "ck_jit_file.h"
#include "ck_jit_number.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- control groups ---- */

enum { CKJIT_CGROUP_TEXT = 4096 }; /* room for a file of /proc or of a control group */

/* A control group, in the hierarchy of one controller. */
struct ckjit_cgroup {
  bool first; /* version 1 */
  char mount[64];
  char path[PATH_MAX]; /* below mount; "" at the top */
};

/* Read the beginning of FILE, below /proc or /sys, or below the directory that a test puts in their
 * place. */
static inline bool ckjit_machine_text(const char *file, char *text, size_t size) {
  const char *root = secure_getenv("CK_JIT_MEMORY_ROOT");
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s%s", root ? root : "", file);
  text[0] = 0;
  return n > 0 && (size_t)n < sizeof path && ckjit_proc_text(path, text, size);
}

/* Does LIST, N bytes with commas, have WORD? */
static inline bool ckjit_cgroup_lists(const char *list, size_t n, const char *word) {
  for (const char *at = list, *end = list + n; at < end;) {
    size_t len = strcspn(at, ",:");
    if (len == strlen(word) && strncmp(at, word, len) == 0)
      return true;
    at += len + 1;
  }
  return false;
}

/* Set G to this process's group for CONTROLLER, from /proc/self/cgroup: "4:memory:/a/b" in version
 * 1, "0::/a/b" in version 2. */
static inline void ckjit_cgroup_own(struct ckjit_cgroup *g, const char *controller) {
  char text[CKJIT_CGROUP_TEXT];
  *g = (struct ckjit_cgroup){.mount = "/sys/fs/cgroup"};
  ckjit_machine_text("/proc/self/cgroup", text, sizeof text);
  for (char *line = text; *line && !g->first;) {
    char *newline = strchr(line, '\n'), *list = strchr(line, ':'),
         *path = list ? strchr(list + 1, ':') : NULL;
    if (newline)
      *newline = 0;
    bool whole = path && (!newline || path < newline);
    if (whole && ckjit_cgroup_lists(list + 1, (size_t)(path - list - 1), controller)) {
      g->first = true;
      snprintf(g->mount, sizeof g->mount, "/sys/fs/cgroup/%s", controller);
    }
    if (whole && (g->first || path == list + 1)) {
      size_t n = strlen(path + 1);
      while (n && path[n] == '/')
        n--;
      snprintf(g->path, sizeof g->path, "%.*s", (int)n, path + 1);
    }
    line = newline ? newline + 1 : line + strlen(line);
  }
}

/* Set G to the group above it. False at the top. */
static inline bool ckjit_cgroup_up(struct ckjit_cgroup *g) {
  char *slash = strrchr(g->path, '/');
  if (!*g->path)
    return false;
  *(slash ? slash : g->path) = 0;
  return true;
}

/* Read FILE of G itself. */
static inline bool ckjit_cgroup_text(const struct ckjit_cgroup *g, const char *file, char *text,
                                     size_t size) {
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s%s/%s", g->mount, g->path, file);
  text[0] = 0;
  return n > 0 && (size_t)n < sizeof path && ckjit_machine_text(path, text, size);
}

/* The number at the start of *AT, which moves past it and a blank; 0: none, as in "max" and
 * "-1". */
static inline uint64_t ckjit_cgroup_number(const char **at) {
  size_t n = strspn(*at, "0123456789");
  uint64_t value = 0;
  ckjit_number(*at, n, &value);
  *at += n + ((*at)[n] == ' ');
  return value;
}

/* ---- processors ---- */

/* The processors that the quota of G itself is worth, a part of one counting as one; 0: no
 * quota. */
static inline uint64_t ckjit_quota_of(const struct ckjit_cgroup *g) {
  char text[64], other[64];
  const char *at = text, *period_at = other;
  uint64_t quota = 0, period = 0;
  if (!g->first && ckjit_cgroup_text(g, "cpu.max", text, sizeof text)) {
    quota = ckjit_cgroup_number(&at);
    period = ckjit_cgroup_number(&at);
  } else if (g->first && ckjit_cgroup_text(g, "cpu.cfs_quota_us", text, sizeof text) &&
             ckjit_cgroup_text(g, "cpu.cfs_period_us", other, sizeof other)) {
    quota = ckjit_cgroup_number(&at);
    period = ckjit_cgroup_number(&period_at);
  }
  return quota && period ? quota / period + (quota % period != 0) : 0;
}

/* The processors that this process may run on, at least 1. */
static inline unsigned ckjit_affinity(void) {
  cpu_set_t mine;
  /* EINVAL: more processors than a cpu_set_t holds; use all of them. */
  long n = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine)
                                                         : sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (unsigned)n : 1;
}

/* The processors that this process may use, at least 1: the smallest of its affinity and the quotas
 * of its control groups. */
static inline unsigned ckjit_processors(void) {
  struct ckjit_cgroup g;
  unsigned n = ckjit_affinity();
  ckjit_cgroup_own(&g, "cpu");
  do {
    uint64_t quota = ckjit_quota_of(&g);
    n = quota && quota < n ? (unsigned)quota : n;
  } while (ckjit_cgroup_up(&g));
  return n;
}

/* ---- compilers ---- */

enum { CKJIT_JOBS_MOST = 65535 };

/* The number in the variable NAME; 0: it has none. *WRONG: its value, if that is not a number. */
static inline unsigned ckjit_jobs_in(const char *name, const char **wrong) {
  const char *text = secure_getenv(name);
  uint64_t n = 0;
  if (!text || !*text)
    return 0;
  if (!ckjit_number(text, strlen(text), &n) || !n || n > CKJIT_JOBS_MOST) {
    *wrong = text;
    return 0;
  }
  return (unsigned)n;
}

/* The number that CK_JIT_JOBS or MAX_JOBS sets; 0: neither does. *WRONG: the value of CK_JIT_JOBS
 * that is not a number, else NULL. Such a value of MAX_JOBS counts as unset, as for PyTorch. */
static inline unsigned ckjit_jobs_set(const char **wrong) {
  const char *other;
  *wrong = NULL;
  unsigned n = ckjit_jobs_in("CK_JIT_JOBS", wrong);
  return n || *wrong ? n : ckjit_jobs_in("MAX_JOBS", &other);
}

/* How many compilers may run at the same time, at least 1. */
static inline unsigned ckjit_jobs(void) {
  const char *wrong;
  unsigned n = ckjit_jobs_set(&wrong);
  return n ? n : ckjit_processors();
}

#endif
