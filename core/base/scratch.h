/* scratch.h - runs commands with a TMPDIR of their own, of which nothing is left.
 *
 * clang makes an empty directory in TMPDIR for each output of a pass of HIP's for a device, and forgets it, also if it is only asked what it would
 * do (-###). Thread safety: as pool_run.
 */
#ifndef CKJIT_SCRATCH_H
#define CKJIT_SCRATCH_H

#include "pool.h"

/* As pool_run, without a callback. The jobs' TMPDIR is a new directory in this process's, which is removed at their end, or by the signal that ends them.
 * If none can be made it is as it would be. */
size_t scratch_run(struct job *jobs, size_t n, unsigned parallel);

#endif
