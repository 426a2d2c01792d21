/* export.h - one kernel, or several joined, in a form that needs no ckjit (docs/export.md).
 *
 *     export.c     what is asked for, and in which order it is made
 *     way.h        what one kind of compiler does otherwise than another
 *     hip.c        … HIP's: driver.c asks clang for its steps, bitcode.c goes by way of LLVM's bitcode
 *     cuda.c       … CUDA's; cudaunit.c: of its lazy units
 *     command.c    the compiler's arguments
 *     judge.c      is there code, and for what? by kernels.c and bundle.c
 *     symbol.c     another name for what is exported
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_EXPORT_H
#define CKJIT_COMPILE_EXPORT_H

#include "compile/task.h"

/* Make FILE as T's export says, with everything in between in TEMPORARY. */
bool export_make(struct compile_task *t, const char *temporary, const char *file, char **err);
/* give FILE the name that T says */
bool export_place(const struct compile_task *t, const char *file, char **err);

#endif
