/* toolchain.h - the files that make up a compiler, so that another compiler gives other keys.
 *
 * hipcc is a script or a small program that starts clang; clang is a small program that loads libLLVM; GPU
 * code contains the device library's bitcode. --version prints the same for two builds of one version. So the
 * contents of all these files count. ccache's compiler_check=content looks at the first only.
 *
 * The compiler is asked once for its steps (-###), which runs nothing. libc, libstdc++ and other libraries
 * that do not affect the generated code are left out: a security update of libc must not invalidate a day's
 * worth of kernels.
 */
#ifndef CKJIT_TOOLCHAIN_H
#define CKJIT_TOOLCHAIN_H

#include "core/cc/compiler.h"
#include "inputs.h"

/* Fill program, tools and compiler of IN for PROGRAM, a compiler of KIND that compiles for ARCH (NULL: for no
 * GPU). The result is kept in the file MEMO and read from there as long as none of the files changes. */
void toolchain_read(struct inputs *in, const char *program, const struct compiler *kind, const char *arch,
                    const char *memo);

/* The stamp that shows whether FILE changed without reading it: size, times and inode as one line of text;
 * "gone" if it does not exist. */
enum { STAMP_SIZE = 128 };
void toolchain_stamp(char stamp[STAMP_SIZE], const char *file);

#endif
