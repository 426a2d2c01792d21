/* pool.h - runs many commands, some in parallel (libuv). No shell: each is an argument vector.
 *
 * Standard input of a job is /dev/null, unless it gets this process's. Each job leads its own
 * process group, so that a compiler driver that is stopped takes its children with it. Thread
 * safety: one pool_run at a time per process.
 */
#ifndef CKJIT_POOL_H
#define CKJIT_POOL_H

#include "argv.h"

#include <sys/types.h>

struct job {
  /* borrowed; args[0] is looked up on the PATH. NULL when its turn comes: the job is skipped. */
  char *const *args;
  const char *cwd;  /* borrowed; NULL: the caller's */
  char *const *env; /* borrowed; NULL: pool_environment */
  void *user;       /* for the caller */
  /* NULL: none. Otherwise this job starts after that one has ended, and only if it succeeded; DONE
   * may set args, or set it to NULL. */
  struct job *after;
  bool has_input; /* its standard input is this process's */
  /* if not 0, its standard output goes to this descriptor, not to output */
  int out;
  /* Called with each piece of output as it arrives, which is also kept in output; may be NULL. */
  void (*on_output)(struct job *job, const char *bytes, size_t n);
  /* Set by pool_run. */
  bool begun, ended;
  pid_t pid; /* while it runs; else 0 */
  /* exit status; 128 + signal; 127, with the reason in output, if it could not be started */
  int status;
  /* standard output and error, in order; the caller frees it. It has the first and the last 256
   * KiB, separated by a line with the number of omitted bytes. */
  struct buf output;
  /* start time in ckjit_microseconds; 0: not started */
  uint64_t started;
  /* its slot among the jobs that run in parallel, from 0 */
  unsigned place;
  double seconds; /* wall time */
  /* peak resident memory of its largest process, from wait4's rusage; 0 where not known */
  long max_rss_kib;
};

/* The environment of jobs that have none; NULL: this process's. Borrowed. */
extern char *const *pool_environment;

/* Called in the caller's thread when a job has ended; return false to start no more jobs. */
typedef bool pool_done(struct job *job, void *user);

/* Run N jobs in array order, except those that wait for another (after), at most PARALLEL at once
 * (0: as many as jobs.h says). DONE may be NULL. Returns the number of
 * jobs without status 0; a job that was never started, or skipped, counts, with status -1. SIGINT,
 * SIGTERM and SIGHUP end the running jobs, then this process, as shell users expect. */
size_t pool_run(struct job *jobs, size_t n, unsigned parallel, pool_done *done, void *user);

/* May JOB be started now, beside the running ones? Asked while at least one runs: when one has
 * ended, and every POOL_TICK_MS as long as jobs wait, even if PARALLEL are running, so that it can
 * observe them. */
typedef bool pool_admit(const struct job *job, void *user);
enum { POOL_TICK_MS = 200 };

/* The same, but a job is started only if ADMIT (may be NULL) allows it. At least one always
 * runs. */
size_t pool_run_admitted(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit,
                         pool_done *done, void *user);

/* The same; TICK (may be NULL) is called every POOL_TICK_MS while jobs run, in the caller's
 * thread. */
typedef void pool_tick(void *user);
size_t pool_run_watched(struct job *jobs, size_t n, unsigned parallel, pool_admit *admit,
                        pool_tick *tick, pool_done *done, void *user);

/* If not NULL, called to clean up before this process ends by a signal that has ended the jobs. */
extern void (*pool_before_signal)(void);

#endif
