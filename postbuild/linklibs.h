/* linklibs.h - what a compiled blob needs of its library's link: where other libraries are, and
 * which. */
#ifndef CKJIT_LINKLIBS_H
#define CKJIT_LINKLIBS_H

#include "core/cc/ccargs.h"
#include "core/files/sourcebundle.h"

/* Append -L, -l and -Wl,-rpath… of A, a link command in CWD, to OUT; not those that only
 * find the build's own libraries below BASE (NULL or "": none are there), nor archives of stubs. They
 * are written as g++ takes them. Of a link by nvcc -cudart=KIND as well, which says how CUDA's
 * runtime is linked. */
void linklibs_read(struct argv *out, const struct ccargs *a, const char *cwd, const char *base);

/* Make the library of COMMAND, which is written from A, need each shared library that A names, in their
 * order. Only what is compiled later may need it, and --as-needed, the default of Ubuntu's gcc,
 * would drop it. */
void linklibs_keep(struct argv *command, const struct ccargs *a);

/* Add to FILES, below SOURCEBUNDLE_LIBS, the archives that LINK, words of linklibs_read,
 * names; not those of the toolkit of COMPILER. WORK: a name for a temporary file. */
void linklibs_carry(struct sourcebundle_files *files, const struct argv *link, const char *compiler,
                    const char *work);

#endif
