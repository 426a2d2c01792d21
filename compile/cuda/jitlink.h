/* jitlink.h - LTO-IR linked by nvJitLink, a library of the toolkit.
 *
 * A program that loads it is compiled by the host's compiler and run (runtime/ck_jit_cuda_link.c).
 */
#ifndef CKJIT_COMPILE_CUDA_JITLINK_H
#define CKJIT_COMPILE_CUDA_JITLINK_H

#include "cuda.h"

/* Link FILES by the library LIBRARY with OPTIONS into the file OUTPUT: PTX if -ptx is among them, else a cubin. C->host names the host's
 * compiler. False with *WHY (compile/plan.h); what was said is in C->log. */
bool jitlink(struct cuda *c, const char *library, const struct argv *options, const struct argv *files,
             const char *output, const char **why);

#endif
