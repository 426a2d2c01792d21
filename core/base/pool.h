/* pool.h - runs many commands, some in parallel (libuv). No shell: each is an argument vector.
 *
 * Standard input of a job is /dev/null, unless it is to have ours. Each job leads a process group
 * of its own, so that a compiler driver that is told to stop takes its children with it. Thread
 * safety: one pool_run at a time per process.
 */
#ifndef CKJIT_POOL_H
#define CKJIT_POOL_H

#include "argv.h"

#include <sys/types.h>

struct job {
  char *const
      *args; /* borrowed; args[0] is looked up on the PATH. NULL when its turn comes: it is passed over */
  const char *cwd;  /* borrowed; NULL: the caller's */
  char *const *env; /* borrowed; NULL: pool_environment */
  void *user;       /* for the caller */
  /* NULL: none. Else this job is started behind that one's end, and only if it ended well; DONE may set args, or set it to NULL. */
  struct job *after;
  bool has_input; /* its standard input is this process's */
  int out;        /* if not 0, its standard output is this descriptor, and is not in output */
  /* Called with each piece of output as it arrives, which is also kept in output; may be NULL. */
  void (*on_output)(struct job *job, const char *bytes, size_t n);
  /* set by pool_run */
  bool begun, ended;
  pid_t pid;  /* while it runs; else 0 */
  int status; /* exit status; 128 + signal; 127, with the reason in output, if it could not be started */
  struct buf output; /* standard output and error, in order; the caller frees it. Kept: the first and the last
                        256 KiB, with a line in between that says how much was cut */
  uint64_t started;  /* start time in ckjit_microseconds; 0: not started */
  unsigned place;    /* its slot among the jobs that run in parallel, from 0 */
  double seconds;    /* wall time */
  long max_rss_kib;  /* peak resident memory of the largest process in it, from wait4's rusage; 0 where not
                        known */
};

/* The environment of jobs that have none of their own; NULL: this process's. Borrowed. */
extern char *const *pool_environment;

/* Called in the caller's thread when a job has ended; return false to start no more jobs. */
typedef bool pool_done(struct job *job, void *user);

/* Run N jobs in array order, but for those that wait for another (after), at most PARALLEL at once (0: one for each processor that this process may use).
 * DONE may be NULL. Returns how many did not end with status 0; a job that was never started, or passed over,
 * counts, with status -1. SIGINT, SIGTERM and SIGHUP end the running jobs, then this process, as shell users expect. */
size_t pool_run(struct job *jobs, size_t n, unsigned parallel, pool_done *done, void *user);

/* May JOB be started now, beside the running ones? Asked while at least one runs: when one has ended, and
 * every POOL_TICK_MS as long as jobs wait, even if PARALLEL are running, so that it can look at them. */
typedef bool pool_admit(const struct job *job, void *user);
enum { POOL_TICK_MS = 200 };

/* The same, but a job is started only if ADMIT (may be NULL) allows it. At least one always runs. */
size_t pool_run_admitted(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit, pool_done *done,
                         void *user);

/* The same; TICK (may be NULL) is called every POOL_TICK_MS while jobs run, in the caller's thread. */
typedef void pool_tick(void *user);
size_t pool_run_watched(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit, pool_tick *tick,
                        pool_done *done, void *user);

/* If not NULL, called before this process ends by a signal that has ended the jobs: to clean up. */
extern void (*pool_before_signal)(void);

/* The number of processors that this process may use (sched_getaffinity), at least 1. */
unsigned pool_processors(void);

#endif
