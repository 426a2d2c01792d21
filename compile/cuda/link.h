/* link.h - the host's object made an entry. */
#ifndef CKJIT_COMPILE_CUDA_LINK_H
#define CKJIT_COMPILE_CUDA_LINK_H

#include "cuda.h"

/* Make OUTPUT of the host's object and the sections. False with *WHY (compile/plan.h): the blob must be
 * compiled whole. */
bool cuda_link(struct cuda *c, const char *output, const char **why);

#endif
