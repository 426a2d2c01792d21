/* ahead.h - ckjit-compile --ahead: compile what a job will call next, while its own call waits for
 * another compile. */
#ifndef CKJIT_COMPILE_AHEAD_H
#define CKJIT_COMPILE_AHEAD_H

#include "options.h"

/* Compiles ahead in another process; this one ends at once. The caller neither waits nor reads any
 * output. */
_Noreturn void ahead_run(const struct compile_options *o);

#endif
