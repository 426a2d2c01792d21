/* cicc.h - the command of nvcc's device compiler in two. */
#ifndef CKJIT_COMPILE_CUDA_CICC_H
#define CKJIT_COMPILE_CUDA_CICC_H

#include "cuda.h"

/* From the words of C->cicc: FRONT, the command of the front end, which writes C->bitcode, and C->lower,
 * what follows it with CUDA_IN and CUDA_OUT (steps.h) for its files. NULL, or why it cannot be divided;
 * static. */
const char *cicc_divide(struct cuda *c, struct argv *front);

#endif
