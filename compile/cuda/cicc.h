/* cicc.h - the command of nvcc's device compiler in two. */
#ifndef CKJIT_COMPILE_CUDA_CICC_H
#define CKJIT_COMPILE_CUDA_CICC_H

#include "cuda.h"

/* From the words of C->cicc: FRONT, the command of the front end, which writes C->bitcode, and C->back,
 * what follows it with CUDA_IN and CUDA_OUT (steps.h) for its files. False with *WHY (compile/plan.h): it
 * cannot be divided. */
bool cicc_divide(struct cuda *c, struct argv *front, const char **why);

#endif
