/* progress.h - how far a run is, for one who waits for it.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_PREBUILD_PROGRESS_H
#define CKJIT_PREBUILD_PROGRESS_H

#include "core/base/pool.h"

/* How far a run of jobs is. The caller fills in what stands before `done`, the rest being 0, and calls
 * progress_start before the pool runs them, progress_tick as its tick, progress_done when a job has ended
 * for good, and progress_end. One who writes to standard output or error meanwhile calls progress_clear
 * before. */
struct progress {
  const struct job *jobs; /* borrowed; all of the run */
  size_t n;
  const char *verb;                        /* what was done with one that has ended well: "compiled" */
  const char *(*name)(const struct job *); /* a job's stem; borrowed */
  double (*weight)(const struct job *);    /* how long one takes, in any unit; NULL: all alike */

  size_t done, failed;
  uint64_t started;           /* ckjit_microseconds */
  double spent, spent_weight; /* seconds and weights of those that have ended */
  bool terminal, drawn;       /* a line that changes; it is there now */
};

void progress_start(struct progress *p);
void progress_tick(struct progress *p);
void progress_done(struct progress *p, const struct job *job);
/* take the line away, if there is one; the next tick brings it back */
void progress_clear(struct progress *p);
/* print a line of its own */
void progress_say(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* leave the line as it is; the seconds since the start */
double progress_end(struct progress *p);

#endif
