/* launcher.h - CK_JIT_COMPILER_LAUNCHER: ccache, sccache, distcc, icecc and the like, put in front
 * of compiles.
 *
 * The value is a list as in CMake's <LANG>_COMPILER_LAUNCHER: words separated by ';', a program
 * first. White space is part of a word; "\;" is a literal ';'. The launcher is a property of the
 * machine that compiles: it is in no key, record or stamp, and a change of launcher recompiles
 * nothing.
 *
 * Thread safety: as core/base/argv.h; the environment is read.
 */
#ifndef CKJIT_LAUNCHER_H
#define CKJIT_LAUNCHER_H

#include "core/base/argv.h"

/* Append the launcher's words to WORDS, the program as an absolute path; nothing if the variable is
 * unset or empty. */
bool launcher_read(struct argv *words, char **err);

/* A word for the command line that identifies the whole compiler, from DIGEST; free() it. A
 * launcher sees only one program: if clang or the device libraries are upgraded, hipcc stays the
 * same, and ccache, which looks at hipcc, would keep returning old results. The word sets the seed
 * for random names in compilers that have one; clang ignores it. */
char *launcher_seed(const char *digest);

#endif
