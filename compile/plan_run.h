/* plan_run.h - the steps of a plan, side by side. */
#ifndef CKJIT_COMPILE_PLAN_RUN_H
#define CKJIT_COMPILE_PLAN_RUN_H

#include "plan.h"

/* Run the steps of PLAN, as many at a time as there are processors, with ENV and their output into LOG.
 * False with *WHY (plan.h): not all ended well. The steps have their states. */
bool plan_run(struct plan *plan, const struct argv *env, int log, const char **why);
/* Run WORDS alone, a driver that is asked for its steps, its output in the new file LOG; whether it ended
 * with status 0. */
bool plan_ask(const struct argv *words, const struct argv *env, const char *log);

#endif
