/* cuid.h - the id that clang gives a HIP unit, the same by whatever road it is compiled.
 *
 * It is in the code: in the symbol __hip_cuid_ID, and in the names of device variables that are static in the source. Left to
 * itself clang makes it of the source's path and all of the options, in which the roads differ: -v of the plain
 * command, -### of the passes, -c of a launcher, the name of a temporary file. What has one key would be other bytes by each.
 *
 * So clang is told: a digest of the stem, by which the cache tells blobs apart as well. Nothing else goes in, no path, flag
 * or comment: with a launcher the id is a word of the command line, and what the launcher has already is to be found
 * again. The parts of a blob with -fgpu-rdc are linked to one code object, which may have no id twice, and their stems are
 * not known to be unique; theirs has the key in it.
 *
 * -cuid and -fuse-cuid of the user's own are left as they are. An export has an id of its own, its build id
 * (export/command.c): it may be linked with others of the same stem.
 */
#ifndef CKJIT_COMPILE_CUID_H
#define CKJIT_COMPILE_CUID_H

#include "task.h"

/* Do T's flags choose one? */
bool cuid_is_given(const struct compile_task *t);
/* For a compile behind a launcher, which has to know it: append it to the words COMMAND. */
void cuid_add_word(struct argv *command, const struct compile_task *t);
/* For T's own compiler: put it into ENV, if COMMAND compiles HIP. As a variable it reaches clang through any wrapper, and
 * nothing else takes offence: hipcc's name may stand for a program that is no clang. */
void cuid_add_variable(struct argv *env, const struct compile_task *t, const struct argv *command);

#endif
