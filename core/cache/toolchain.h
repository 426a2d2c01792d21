/* toolchain.h - the files that make up a compiler, so that another compiler gives other keys.
 *
 * hipcc is a script or a small program that starts clang; clang is a small program that loads libLLVM; GPU
 * code contains the device library's bitcode. --version prints the same for two builds of one version. So the
 * contents of all these files count. ccache's compiler_check=content looks at the first only.
 *
 * The compiler is asked for its steps (-###), which runs nothing. libc, libstdc++ and other libraries
 * that do not affect the generated code are left out: a security update of libc must not invalidate a day's
 * worth of kernels.
 */
#ifndef CKJIT_TOOLCHAIN_H
#define CKJIT_TOOLCHAIN_H

#include "core/cc/compiler.h"
#include "inputs.h"

/* Fill program, tools and compiler of IN for PROGRAM, a compiler of KIND that compiles for ARCH (NULL: for no
 * GPU), nvcc with the host compiler CCBIN (record_ccbin; NULL: of its own choice). The compiler is asked each time; the digests of its files are kept in the file MEMO, and a file whose stamp
 * is still the same is not read again. */
void toolchain_read(struct inputs *in, const char *program, const struct compiler *kind, const char *arch,
                    const char *ccbin, const char *memo);

/* Ask PROGRAM of KIND the QUESTION of a list of inputs, in the environment ENV, and set DIGEST to that of its answer's words. False:
 * it does not answer. */
bool toolchain_plan(char digest[DIGEST_HEX], const char *program, const struct compiler *kind,
                    const struct argv *question, char *const *env);

/* Append to IN's tools what links LTO-IR in the toolkit of PROGRAM, an nvcc (core/cc/ltolinker.h): it makes code of units with -rdc=true, and of no others,
 * so IN's "compiler" stays as it is. Its word and a digest, "nvJitLink 12ab…"; free() it. NULL: there is none. MEMO as above, a file of its own. */
char *toolchain_lto_linker(struct inputs *in, const char *program, const char *arch, const char *memo);

/* Append to FILES, with symbolic links resolved and each once, the libraries in LISTING that belong to a compiler:
 * what the dynamic linker says of a program that is started with LD_TRACE_LOADED_OBJECTS=1. */
void toolchain_libraries(struct argv *files, const char *listing);
/* Has PROGRAM a dynamic linker, and needs it a library that none of the programs in KNOWN needs, or looks for one elsewhere? Then
 * it is to be asked, and is in KNOWN. A static program or a script would run instead of listing its libraries. */
bool toolchain_loads_others(struct argv *known, const char *program);

/* Append to FILES what the last steps of PLAN's toolkit read and no depfile names, as they read nvcc's own output with it: the
 * headers that register kernels, what is compiled for a link, and nvlink. */
struct nvcc_plan;
void toolchain_nvcc_last(struct argv *files, const struct nvcc_plan *plan);

/* The stamp that shows whether FILE changed without reading it: size, times and inode as one line of text, of a file of an
 * image its mount as well (core/base/image.h); "gone" if it does not exist. */
enum { STAMP_SIZE = 224 };
void toolchain_stamp(char stamp[STAMP_SIZE], const char *file);

#endif
