/* link.h - the host's object made an entry. */
#ifndef CKJIT_COMPILE_CUDA_LINK_H
#define CKJIT_COMPILE_CUDA_LINK_H

#include "cuda.h"

/* Make OUTPUT of the host's object and the sections. NULL, or why the blob must be compiled whole; static. */
const char *cuda_link(struct cuda *c, const char *output);

#endif
