/* scratch.h - runs commands with a separate TMPDIR, which is removed afterwards.
 *
 * clang makes an empty directory in TMPDIR for each output of a HIP device pass, and does not
 * remove it, even if it only prints its steps (-###). Thread safety: as pool_run.
 */
#ifndef CKJIT_SCRATCH_H
#define CKJIT_SCRATCH_H

#include "pool.h"

/* As pool_run, without a callback. The jobs' TMPDIR is a new directory in this process's, which is
 * removed at their end, or by the signal that ends them. If it cannot be made, their TMPDIR is
 * unchanged. */
size_t scratch_run(struct job *jobs, size_t n, unsigned parallel);

#endif
