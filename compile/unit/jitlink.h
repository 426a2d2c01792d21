/* jitlink.h - LTO-IR linked by nvJitLink, a library of the toolkit, or by its nvlink (core/cc/ltolinker.h).
 *
 * For nvJitLink a program that loads it is compiled by the host's compiler and run (runtime/ck_jit_cuda_link.c).
 */
#ifndef CKJIT_COMPILE_UNIT_JITLINK_H
#define CKJIT_COMPILE_UNIT_JITLINK_H

#include "cudasteps.h"
#include "core/cc/ltolinker.h"

/* Link FILES by LINKER with OPTIONS, in nvJitLink's words, into the file OUTPUT: PTX if -ptx is among them, else a cubin. RUNTIME: with its libcudadevrt.a
 * as well. C->host names the host's compiler. False with *WHY (compile/plan.h); what was said is in C->log. */
bool jitlink(struct cuda *c, const struct lto_linker *linker, const struct argv *options,
             const struct argv *files, bool runtime, const char *output, const char **why);

#endif
