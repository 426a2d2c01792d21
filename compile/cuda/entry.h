/* entry.h - the entry of a CUDA blob without its kernels (cuda.h). */
#ifndef CKJIT_COMPILE_CUDA_ENTRY_H
#define CKJIT_COMPILE_CUDA_ENTRY_H

#include "compile/task.h"

/* Make OUTPUT, the host side of T, in TEMPORARY. False if T has to be compiled whole. */
bool cuda_entry_make(const struct compile_task *t, const char *temporary, const char *output);

#endif
