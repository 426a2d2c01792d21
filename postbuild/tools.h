/* tools.h - what the compilers of one link consist of. A compiler is asked once, not for each of
 * the hundreds of units that it compiled (examples/ivf-flat).
 *
 * Ownership: a list and all in it are of the link's and stay as they are to its end; who needs
 * another takes a copy of the struct. Not thread-safe.
 */
#ifndef CKJIT_POSTBUILD_TOOLS_H
#define CKJIT_POSTBUILD_TOOLS_H

#include "core/cache/inputs.h"
#include "core/cc/compiler.h"

struct known_tools;

struct tools {
  const char *work; /* the work directory */
  struct known_tools *list;
  size_t n;
};

/* The files of COMPILER for ARCH (NULL: for no GPU) and, of nvcc, with the host compiler CCBIN
 * (record_ccbin; NULL: none is given), with the variables that it is asked with; the "compiler" in
 * it is that of the files alone (inputs_key_environment). */
const struct inputs *tools_of(struct tools *t, const char *compiler, const struct compiler *kind,
                              const char *arch, const char *ccbin);
/* The same of an nvcc with what links LTO-IR in its toolkit. *LINKER: that, in the words of
 * toolchain_lto_linker; NULL: there is none. */
const struct inputs *tools_with_linker(struct tools *t, const char *compiler, const struct compiler *kind,
                                       const char *arch, const char *ccbin, const char **linker);
/* Free what T remembers, and not its directory. */
void tools_free(struct tools *t);

#endif
