/* bitcode.h - HIP's device code by way of LLVM's bitcode: kernels joined, and given other names.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_EXPORT_BITCODE_H
#define CKJIT_COMPILE_EXPORT_BITCODE_H

#include "way.h"

/* FILES, bitcode for ARCH, joined and renamed as the task says, to OUTPUT in its format. */
bool bitcode_to_device(struct export *x, const struct argv *files, const char *arch, const char *output,
                       char **err);
/* LLVM's text of FILE, bitcode for ARCH, into the file TEXT */
bool bitcode_to_text(struct export *x, const char *file, const char *arch, const char *text, char **err);

#endif
