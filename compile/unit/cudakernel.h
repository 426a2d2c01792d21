/* cudakernel.h - the entry of one kernel of CUDA, of a blob or of a unit.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_CUDAKERNEL_H
#define CKJIT_COMPILE_UNIT_CUDAKERNEL_H

#include "compile/task.h"

/* Make OUTPUT, the entry of kernel T->kernel, from ENTRY, the file of its blob or of its unit's
 * front end. */
bool cuda_kernel_make(struct compile_task *t, const char *entry, const char *temporary, const char *output,
                      char **err);

#endif
