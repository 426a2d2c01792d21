/* budget.h - how many compiles fit into memory.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_BUDGET_H
#define CKJIT_BUDGET_H

#include "jobs.h"
#include "memory.h"
#include "pool.h"

/* the known needs of compiles */
struct budget {
  /* bytes per compile, until enough have ended */
  uint64_t guess;
  uint64_t largest; /* of those that have ended */
  size_t ended;
  const struct job *jobs; /* borrowed */
  size_t n;
  uint64_t *now, *peak; /* bytes, for each of jobs that runs */
  uint64_t kills;       /* by the OOM killer so far */
  uint64_t watched;     /* time of the last sample, in milliseconds */
};

void budget_start(struct budget *m, uint64_t guess, const struct job *jobs, size_t n);
void budget_end(struct budget *m);
/* Is there enough memory for one more compile now? */
bool budget_admits(struct budget *m);
/* Account for JOB, one of M's that has ended. True if it failed because memory ran out. */
bool budget_failed(struct budget *m, const struct job *job);

#endif
