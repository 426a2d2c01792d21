/* plan_run.h - the steps of a plan, side by side. */
#ifndef CKJIT_COMPILE_PLAN_RUN_H
#define CKJIT_COMPILE_PLAN_RUN_H

#include "plan.h"

/* Run the steps of PLAN, as many at a time as there are processors, with ENV and their output into
 * LOG. False with *WHY (plan.h): not all ended well. The steps have their states. */
bool plan_run(struct plan *plan, const struct argv *env, int log, const char **why);
/* Returns the output of WORDS, a driver that is asked for its steps, in the environment ENV; free()
 * it. It is written to a file in DIR, which is removed. *SUCCEEDED: it ended with status 0. With
 * SUCCEEDED NULL, the result is NULL if it did not. */
char *plan_ask(const struct argv *words, char *const *env, const char *dir, bool *succeeded);
/* The same for what a driver of DIALECT says that it would run for COMMAND (core/cc/steps.h). */
char *plan_ask_steps(enum cc_dialect dialect, const struct argv *command, char *const *env, const char *dir,
                     bool *succeeded);

#endif
