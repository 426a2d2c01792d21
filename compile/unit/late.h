/* late.h - the host side of a blob, made at its first call without its kernels.
 *
 * A blob of flash-attention holds dozens of kernels behind switches, and a call launches one of
 * them. So does an ordinary unit that is late (docs/units.md). The compiler's plain command compiles
 * them all before anything can be called. Here the blob's entry is its host side, with what kernels
 * are made of, and each kernel is an entry of its own, made as that of a unit (unit.h, cudakernel.h):
 *
 *     <stem>.so          host code; sections .ckjit.nvvm or .ckjit.text, and .ckjit.steps
 *                        (frontsteps.h)
 *     <stem>.<hash>.so   the fat binary of one kernel
 *
 * docs/cuda.md says what was measured. What cannot be taken apart in this way is compiled whole, by
 * the plain command.
 */
#ifndef CKJIT_COMPILE_UNIT_LATE_H
#define CKJIT_COMPILE_UNIT_LATE_H

#include "compile/task.h"

/* Make OUTPUT, the host side of T, in TEMPORARY. False if T has to be compiled whole. */
bool late_make(const struct compile_task *t, const char *temporary, const char *output);

/* The two ways, of CUDA and of HIP. False with *WHY (compile/plan.h). */
bool late_cuda_make(const struct compile_task *t, const char *temporary, const char *output,
                    const char **why);
bool late_hip_make(const struct compile_task *t, const char *temporary, const char *output, const char **why);
#define LATE_UNWRITTEN "a temporary file cannot be written"

#endif
