/* toolchain.h - which files a compiler consists of, so that another compiler gives other keys.
 *
 * hipcc is a script, or a small program, that starts clang; clang is a small program that loads libLLVM; what
 * it makes for a GPU has the device library's bitcode in it. What --version says is the same for two builds
 * of one version. So the content of all of them counts: ccache's compiler_check=content looks at the first
 * only.
 *
 * The compiler is asked once for its steps (-###), which runs nothing. libc, libstdc++ and what else does not
 * decide what code comes out is not among the files: a security update of libc must not make a day's kernels
 * worthless.
 */
#ifndef CKJIT_TOOLCHAIN_H
#define CKJIT_TOOLCHAIN_H

#include "core/cc/compiler.h"
#include "inputs.h"

/* Fill program, tools and compiler of IN for PROGRAM, a compiler of KIND, which is compiling for ARCH (NULL:
 * for no GPU). What was found is kept in the file MEMO, and taken from there while none of the files changes. */
void toolchain_read(struct inputs *in, const char *program, const struct compiler *kind, const char *arch,
                    const char *memo);

/* What decides whether FILE changed without reading it: size, times and inode, as text of one line; "gone"
 * if it is not there. */
enum { STAMP_SIZE = 128 };
void toolchain_stamp(char stamp[STAMP_SIZE], const char *file);

#endif
