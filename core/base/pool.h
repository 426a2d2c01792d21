/* pool.h - run many commands, some at a time (libuv). No shell: each is an argument vector.
 *
 * Standard input of a job is /dev/null. Each job leads a process group of its own, so that a compiler driver
 * that is told to stop takes its children with it. Thread safety: one pool_run at a time in a process.
 */
#ifndef CKJIT_POOL_H
#define CKJIT_POOL_H

#include "argv.h"

#include <sys/types.h>

struct job {
  char *const *args; /* borrowed; args[0] is looked up on the PATH */
  const char *cwd;   /* borrowed; NULL: the caller's */
  char *const *env;  /* borrowed; NULL: the caller's */
  void *user;        /* the caller's own */
  /* Called with each piece of output as it comes, which is kept in output all the same; may be NULL. */
  void (*on_output)(struct job *job, const char *bytes, size_t n);
  /* filled in by pool_run */
  pid_t pid;         /* while it runs, else 0 */
  int status;        /* exit status; 128 + signal; 127 with output saying why if it could not be started */
  struct buf output; /* standard output and error, in order; the caller frees it. Kept: the first and the last
                        256 KiB, with a line in between that says how much was cut */
  uint64_t started;  /* when it was started, ckjit_microseconds; 0: not yet */
  unsigned place;    /* which of those that run at once it is, from 0 */
  double seconds;    /* wall time */
  long max_rss_kib;  /* peak resident memory of the largest process in it, from wait4's rusage; 0 where not
                        known */
};

/* Called in the caller's thread when a job has ended; returning false starts no further job. */
typedef bool pool_done(struct job *job, void *user);

/* Run N jobs, at most PARALLEL at once (0: one for each processor that this process may use), in order of the
 * array. DONE may be NULL. Returns how many did not end with status 0 (a job never started counts, its status
 * is -1). SIGINT, SIGTERM and SIGHUP end the running jobs, then this process, as the shell user expects. */
size_t pool_run(struct job *jobs, size_t n, unsigned parallel, pool_done *done, void *user);

/* Whether JOB may be started now, beside those that run. Asked while at least one does: when one has ended,
 * and every POOL_TICK_MS as long as jobs wait, even where PARALLEL run, so that it can look at them. */
typedef bool pool_admit(const struct job *job, void *user);
enum { POOL_TICK_MS = 200 };

/* The same, jobs being started only where ADMIT (may be NULL) allows. One at least always runs. */
size_t pool_run_admitted(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit, pool_done *done,
                         void *user);

/* The same; TICK (may be NULL) is called every POOL_TICK_MS while jobs run, in the caller's thread. */
typedef void pool_tick(void *user);
size_t pool_run_watched(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit, pool_tick *tick,
                        pool_done *done, void *user);

/* Called, if it is not NULL, before a signal that ended the jobs ends this process: for what would be left
 * behind. */
extern void (*pool_before_signal)(void);

/* processors that this process may use (sched_getaffinity), at least 1 */
unsigned pool_processors(void);

#endif
