/* progress.h - the progress of a run, for a waiting user.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_PROGRESS_H
#define CKJIT_PREBUILD_PROGRESS_H

#include "core/base/pool.h"

/* The progress of a run. The caller fills in the members above `done` and leaves the rest 0. It
 * calls progress_start before the pool runs the jobs, uses progress_tick as the pool's tick, calls
 * progress_done when a job has ended for good, and progress_end at the end. Before any other output
 * to standard output or error it calls progress_clear. */
struct progress {
  const struct job *jobs; /* all jobs of the run; borrowed */
  size_t n;
  /* the word for a job that succeeded: "compiled" */
  const char *verb;
  const char *(*name)(const struct job *); /* a job's stem; borrowed */
  /* the duration of a job, in any unit; NULL: all alike */
  double (*weight)(const struct job *);

  /* left_out: the caller counts the jobs here that are not run */
  size_t done, failed, left_out;
  uint64_t started; /* ckjit_microseconds */
  /* seconds and weights of the finished jobs */
  double spent, spent_weight;
  bool terminal; /* the line can be redrawn */
};

void progress_start(struct progress *p);
void progress_tick(struct progress *p);
void progress_done(struct progress *p, const struct job *job);
/* Remove the line if it is on the screen; the next tick draws it again. */
void progress_clear(struct progress *p);
/* Print a separate line. */
void progress_say(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Leave the line as it is. Returns the seconds since the start. */
double progress_end(struct progress *p);

#endif
