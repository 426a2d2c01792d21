/* budget.c - how many compiles fit into memory.
 *
 * One compiler per processor is too many if a kernel takes gigabytes: then the OOM killer ends one
 * of them, and nothing shows which kernel was the cause. So a compile is started only if the free
 * memory covers its expected need plus the possible growth of the running ones.
 *
 * The need is estimated from compiles that have ended. wait4 reports only the largest process of
 * each, and a compiler may run its passes side by side, so the sum over all processes of a compile
 * is sampled now and then as well. */
#include "budget.h"
#include "memory.h"
#include "abi/ck_jit_clock.h"

#include <signal.h>

enum {
  ENOUGH = 4,      /* finished compiles after which the guess no longer counts */
  WATCH_MS = 2000, /* between two samples if memory is plenty: each sample reads all of /proc */
};

void budget_start(struct budget *m, uint64_t guess, const struct job *jobs, size_t n) {
  *m = (struct budget){.guess = guess, .jobs = jobs, .n = n, .kills = memory_kills()};
  m->now = xcalloc(n, sizeof *m->now);
  m->peak = xcalloc(n, sizeof *m->peak);
}

void budget_end(struct budget *m) {
  free(m->now);
  free(m->peak);
}

/* The expected need of one more compile: the largest so far and a quarter more, as kernels
 * differ. */
static uint64_t expected(const struct budget *m) {
  uint64_t seen = m->largest + m->largest / 4;
  return m->ended < ENOUGH && m->guess > seen ? m->guess : seen;
}

/* Sample the memory of each running compile. */
static void watch(struct budget *m) {
  autofree pid_t *pids = xcalloc(m->n, sizeof *pids);
  autofree size_t *which = xcalloc(m->n, sizeof *which);
  size_t running = 0;
  autofree uint64_t *bytes = xcalloc(m->n, sizeof *bytes);
  for (size_t i = 0; i < m->n; i++)
    if (m->jobs[i].pid) {
      which[running] = i;
      pids[running++] = m->jobs[i].pid;
    }
  memory_of(pids, running, bytes);
  for (size_t k = 0; k < running; k++) {
    m->now[which[k]] = bytes[k];
    if (bytes[k] > m->peak[which[k]])
      m->peak[which[k]] = bytes[k];
  }
  m->watched = ckjit_microseconds() / 1000;
}

bool budget_admits(struct budget *m) {
  uint64_t one = expected(m), available = memory_free(), wanted = one;
  bool due = ckjit_microseconds() / 1000 - m->watched >= WATCH_MS;
  size_t running = 0;
  for (size_t i = 0; i < m->n; i++)
    running += m->jobs[i].pid != 0;
  /* Plenty: enough even if the running compiles had taken nothing yet. */
  bool plenty = available / (running + 1) >= one;
  if (!plenty || due)
    watch(m);
  if (plenty)
    return true;
  for (size_t i = 0; i < m->n; i++) {
    if (!m->jobs[i].pid)
      continue;
    uint64_t top = m->peak[i] > one ? m->peak[i] : one;
    wanted += top - m->now[i];
  }
  return wanted <= available;
}

bool budget_failed(struct budget *m, const struct job *job) {
  size_t i = (size_t)(job - m->jobs);
  uint64_t kills = memory_kills(), took = (uint64_t)job->max_rss_kib * 1024;
  bool killed = kills > m->kills;
  m->kills = kills;
  took = m->peak[i] > took ? m->peak[i] : took;
  if (took > m->largest)
    m->largest = took;
  m->ended++;
  m->now[i] = 0;
  if (!job->status || !m->guess)
    return false;
  if (killed || job->status == 128 + SIGKILL)
    return true;
  /* ckjit-compile's message for a killed compiler, and those of clang, gcc and LLVM for a pass that
   * was killed or ran out of memory. */
  static const char *const signs[] = {
      "killed by signal 9", ": Killed",         "Killed signal terminated", "out of memory",
      "bad_alloc",          "memory exhausted", "Cannot allocate memory"};
  for (size_t k = 0; job->output.data && k < sizeof signs / sizeof *signs; k++)
    if (strstr(job->output.data, signs[k]))
      return true;
  return false;
}
