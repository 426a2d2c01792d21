/* toolchain.h - the files that make up a compiler, so that another compiler gives other keys.
 *
 * hipcc is a script or a small program that starts clang; clang is a small program that loads
 * libLLVM; GPU code contains the device library's bitcode. --version prints the same for two builds
 * of one version. So the contents of all these files count. ccache's compiler_check=content reads
 * only the first.
 *
 * The compiler is queried for its steps (-###), which runs nothing. libc, libstdc++ and other
 * libraries that do not affect the generated code are omitted: a security update of libc must not
 * invalidate a day's worth of kernels.
 */
#ifndef CKJIT_TOOLCHAIN_H
#define CKJIT_TOOLCHAIN_H

#include "core/cc/compiler.h"
#include "inputs.h"

struct nvcc_plan;

/* Fill program, tools and compiler of IN for PROGRAM, a compiler of KIND that compiles for ARCH
 * (NULL: for no GPU), nvcc with the host compiler CCBIN (record_ccbin; NULL: its own choice). The
 * compiler is queried each time; the file MEMO keeps the digests of its files, and a file whose
 * stamp has not changed is not read again. */
void toolchain_read(struct inputs *in, const char *program, const struct compiler *kind,
                    const char *arch, const char *ccbin, const char *memo);

/* The release that PROGRAM of KIND prints for --version, "13.0"; "" if it prints none. free()
 * it. */
char *toolchain_release(const char *program, const struct compiler *kind);

/* Ask PROGRAM of KIND the QUESTION of a list of inputs, in the environment ENV, and set DIGEST to
 * that of the answer's words. False: it does not answer. */
bool toolchain_plan(char digest[DIGEST_HEX], const char *program, const struct compiler *kind,
                    const struct argv *question, char *const *env);

/* Does the answer to IN's question depend on nothing but IN's tools and its environment? Set
 * IN->settled. So it is with NVIDIA's nvcc and a gcc, each of which is searched for the names of
 * the files and variables that it reads. A script or program in their place may read any file. */
void toolchain_settle(struct inputs *in);
/* IN is settled and its tools are unchanged: would PROGRAM, in the environment ENV, read the same
 * files for its answer? */
bool toolchain_same_answer(const struct inputs *in, const char *program, char *const *env);

/* Append the linker of LTO-IR in the toolkit of PROGRAM, an nvcc, to IN's tools
 * (core/cc/ltolinker.h). It makes code only of units with -rdc=true, so IN's "compiler" does not
 * change. Returns its word and a digest, "nvJitLink 12ab…"; free() it. NULL: there is none. MEMO as
 * above, a separate file. */
char *toolchain_lto_linker(struct inputs *in, const char *program, const char *arch,
                           const char *memo);

/* The steps of the nvcc PROGRAM with the host compiler CCBIN, if it was asked last; else NULL. */
const struct nvcc_plan *toolchain_nvcc_plan(const char *program, const char *ccbin);

/* Append to FILES, with symbolic links resolved and each once, the libraries in LISTING that belong
 * to a compiler. LISTING is the dynamic linker's output for a program that is started with
 * LD_TRACE_LOADED_OBJECTS=1. */
void toolchain_libraries(struct argv *files, const char *listing);
/* Has PROGRAM a dynamic linker, and needs it a library, not of a language's runtime nor zlib nor
 * GMP, that none of the programs in KNOWN needs, or looks for one elsewhere? Then it is to be
 * asked, and is in KNOWN.
 * A static program or a script would run instead of listing its libraries. */
bool toolchain_loads_others(struct argv *known, const char *program);

/* Append to FILES the files of PLAN's toolkit that its last steps read and no depfile names, since
 * they read nvcc's own output: the headers that register kernels, the source that is compiled for a
 * link, and nvlink. */
void toolchain_nvcc_last(struct argv *files, const struct nvcc_plan *plan);

/* A stamp that shows, without reading FILE, whether it changed: size, times and inode as one line
 * of text, for a file of an image its mount as well (core/base/image.h); "gone" if it does not
 * exist. */
enum { STAMP_SIZE = 224 };
void toolchain_stamp(char stamp[STAMP_SIZE], const char *file);

#endif
