/* late.h - a CUDA blob without its kernels: a unit whose host side is made late, at the first call.
 *
 * A blob of flash-attention holds dozens of kernels behind switches, and a call launches one of them. `nvcc
 * -shared` compiles them all before anything can be called. Here the blob's entry is its host side, with the
 * bitcode of the device's front end in it, and each kernel is an entry of its own, made as that of a unit:
 *
 *     <stem>.so          host code; section .ckjit.nvvm: bitcode of all kernels;
 *                        .ckjit.steps: how to go on from it (frontsteps.h)
 *     <stem>.<hash>.so   the fat binary of one kernel (cudakernel.h)
 *
 * docs/cuda.md says what was measured. What cannot be taken apart in this way is compiled whole, by the plain
 * command.
 */
#ifndef CKJIT_COMPILE_UNIT_LATE_H
#define CKJIT_COMPILE_UNIT_LATE_H

#include "compile/task.h"

/* Make OUTPUT, the host side of T, in TEMPORARY. False if T has to be compiled whole. */
bool late_make(const struct compile_task *t, const char *temporary, const char *output);

#endif
