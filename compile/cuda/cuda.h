/* cuda.h - a CUDA blob whose kernels are compiled one by one, when they are launched.
 *
 * A blob of flash-attention holds dozens of kernels behind switches, and a call launches one of them. `nvcc
 * -shared` compiles them all before anything can be called. Here the entry of the blob is its host side, with
 * the bitcode of the device's front end in it, and each kernel is an entry of its own:
 *
 *     <stem>.so          host code; section .ckjit.nvvm: bitcode of all kernels;
 *                        .ckjit.steps: how to go on from it
 *     <stem>.<hash>.so   the fat binary of one kernel
 *
 *     the first    entry.c    nvcc's steps, run side by side up to the host's object
 *                  core/cc/cicc.c   the device's compiler in two: its front end, and the rest
 *                  stub.c     why the host code need not wait for the bitcode
 *                  steps.c    what is written into .ckjit.steps
 *                  link.c     what is linked with it
 *     the second   kernel.c   the rest, for one kernel
 *                  nvvm.c     one kernel out of the bitcode
 *
 * docs/cuda.md says what was measured. What cannot be taken apart in this way is compiled whole, by the plain
 * command.
 *
 * This header is what the parts of the first share.
 */
#ifndef CKJIT_COMPILE_CUDA_H
#define CKJIT_COMPILE_CUDA_H

#include "compile/plan.h"
#include "core/cc/nvcc.h"

/* one attempt to make an entry */
struct cuda {
  const struct compile_task *t;
  const char *temporary;
  struct nvcc_plan nvcc;
  struct nvcc_step *host_text, *cudafe, *device_text, *cicc, *ptxas, *fatbinary, *host; /* steps of nvcc */
  char *bitcode, *object;
  struct argv env, toolchain; /* all that the steps are started with; what of it is of the toolchain */
  struct argv device_only;    /* of a unit: variables that the host does not name */
  struct argv back;           /* the command of cicc behind its front end */
  int log;
};

/* Set C's steps, each of which there must be one of in its plan; NULL: none, or several. True: all are there. */
bool cuda_take_steps(struct cuda *c);
/* Write TEXT, N bytes, to the file NAME in the temporary directory. False with errno. */
bool cuda_write(const struct cuda *c, const char *name, const char *text, size_t n);

#endif
