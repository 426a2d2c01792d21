/* steps.h - section .ckjit.steps of an entry: how its kernels are made of the bitcode beside it
 * (docs/formats.md).
 *
 * Ownership: a struct owns its words.
 */
#ifndef CKJIT_COMPILE_CUDA_STEPS_H
#define CKJIT_COMPILE_CUDA_STEPS_H

#include "cuda.h"
#include "core/cache/kernelcommand.h"
#include "core/cc/cicc.h"

#define CUDA_BITCODE_SECTION KERNELS_SECTION
#define CUDA_STEPS_SECTION ".ckjit.steps"

struct cuda_steps {
  struct argv cicc, ptxas, fatbinary;
  struct argv device_only;
  struct argv environment;
  struct argv tools; /* digest, program and stamp of each, one after the other */
};

/* the text for C; buf_free it */
void cuda_steps_write(const struct cuda *c, struct buf *out);
/* False if TEXT is not that, of this version. cuda_steps_free in either case. */
bool cuda_steps_read(struct cuda_steps *s, const char *text);
void cuda_steps_free(struct cuda_steps *s);
/* The first program that is not the one that S was written with; NULL: all are. Borrowed. A stamp spares
 * reading them. */
const char *cuda_steps_other_tool(const struct cuda_steps *s);

#endif
