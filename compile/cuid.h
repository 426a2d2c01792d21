/* cuid.h - sets the id that clang gives a HIP unit, so that it is the same for every way to compile
 * it.
 *
 * The id is in the code: in the symbol __hip_cuid_ID, and in the names of device variables that are
 * static in the source. By default clang computes it from the source's path and all options, in
 * which the ways differ: -v of the plain command, -### of the passes, -c of a launcher, the name of
 * a temporary file. One key would then have different bytes for each way.
 *
 * So ckjit passes an id to clang: a digest of the stem, by which the cache distinguishes blobs too;
 * all kernels of a unit have the unit's.
 * Paths, flags and comments do not go in: with a launcher the id is a word of the command line, and
 * results that the launcher has already must be found again. The parts of a blob with -fgpu-rdc are
 * linked into one code object, in which no id may occur twice, and their stems may not be unique;
 * so their ids contain the key.
 *
 * The user's own -cuid and -fuse-cuid are left unchanged. An export has a separate id, its build id
 * (export/command.c): it may be linked with others of the same stem.
 */
#ifndef CKJIT_COMPILE_CUID_H
#define CKJIT_COMPILE_CUID_H

#include "task.h"

/* Do T's flags choose one? */
bool cuid_is_given(const struct compile_task *t);
/* For a compile behind a launcher, which has to know it: append it to the words COMMAND. */
void cuid_add_word(struct argv *command, const struct compile_task *t);
/* For T's own compiler: put it into ENV, if COMMAND compiles HIP. As a variable it reaches clang
 * through any wrapper, and nothing else takes offence: hipcc's name may stand for a program that is
 * no clang. */
void cuid_add_variable(struct argv *env, const struct compile_task *t, const struct argv *command);

#endif
