/* cuda.h - the kernels of a lazy unit of CUDA.
 *
 *     <stem>.<hash of "+front">.so   section .ckjit.nvvm: bitcode of all kernels, of the unit's text; .ckjit.steps: how to go on from it.
 *                                    As the entry of a blob has them (late.h), but without host code
 *     <stem>.<hash>.so               the fat binary of one kernel, made of the first by cudakernel.c
 *
 * The front end is most of what a kernel costs. So it is run once for each unit and architecture, by whoever first needs a kernel, and
 * is an entry of its own, with a lock of its own.
 *
 * Several architectures at once, and PTX, which the driver compiles, are not taken apart: all kernels are compiled together, each step as
 * nvcc has it.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_CUDA_H
#define CKJIT_COMPILE_UNIT_CUDA_H

#include "compile/turn.h"

/* As unit_needs and unit_make. */
bool cudaunit_needs(const struct compile_task *t, need_fn *need, char **err);
bool cudaunit_make(struct compile_task *t, const char *temporary, const char *output, char **err);

#endif
