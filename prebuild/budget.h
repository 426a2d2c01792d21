/* budget.h - how many compiles memory can hold.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main thread.
 */
#ifndef CKJIT_PREBUILD_BUDGET_H
#define CKJIT_PREBUILD_BUDGET_H

#include "core/base/pool.h"

/* what is known of the memory that compiles take */
struct budget {
  uint64_t guess;   /* bytes of one, until enough have ended */
  uint64_t largest; /* of those that have ended */
  size_t ended;
  const struct job *jobs; /* borrowed */
  size_t n;
  uint64_t *now, *peak; /* bytes, for each of jobs that runs */
  uint64_t kills;       /* by the system, for want of memory, so far */
  uint64_t watched;     /* when, in milliseconds */
};

void budget_start(struct budget *m, uint64_t guess, const struct job *jobs, size_t n);
void budget_end(struct budget *m);
/* one more compile can be started now */
bool budget_admits(struct budget *m);
/* Learn from a JOB of M's that has ended; whether it failed for want of memory. */
bool budget_failed(struct budget *m, const struct job *job);

#endif
