/* warm.h - `warm` without --wait: a process that goes on by itself. Main thread only. */
#ifndef CKJIT_PREBUILD_WARM_H
#define CKJIT_PREBUILD_WARM_H

#include "prebuild.h"

/* Go on as a process that nobody waits for, which is to compile N entries: only that one returns. The process that was started says so and
 * ends; it also ends if this is not the time for it, and says why. */
void warm_leave(const struct request *r, size_t n);

#endif
