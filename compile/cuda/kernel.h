/* kernel.h - the entry of one kernel of a CUDA blob (cuda.h).
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_CUDA_KERNEL_H
#define CKJIT_COMPILE_CUDA_KERNEL_H

#include "compile/task.h"

/* Make OUTPUT, the entry of kernel T->kernel, from the entry T->source. */
bool cuda_kernel_make(const struct compile_task *t, const char *temporary, const char *output, char **err);

#endif
