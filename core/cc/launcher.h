/* launcher.h - CK_JIT_COMPILER_LAUNCHER: ccache, sccache, distcc, icecc and their like, put in front of
 * compiles.
 *
 * The value is a list as in CMake's <LANG>_COMPILER_LAUNCHER: words with ';' between, a program first. White
 * space belongs to a word, "\;" is a ';' in one. A launcher is a matter of the machine that compiles: it is
 * in no key, no record and no stamp, and another one compiles nothing again.
 *
 * Thread safety: as core/base/argv.h; the environment is read.
 */
#ifndef CKJIT_LAUNCHER_H
#define CKJIT_LAUNCHER_H

#include "core/base/argv.h"

/* The launcher's words to WORDS, the program as an absolute path; none if the variable is unset or empty. */
bool launcher_read(struct argv *words, char **err);

/* What tells a launcher which compiler it is, beyond the one program that it sees: hipcc stays as it is when
 * clang or the device libraries are upgraded, and ccache, which looks at hipcc, would go on giving what the
 * old one made. A word for the command line, from DIGEST; compilers take it as the seed of random names,
 * clang not at all. free() it. */
char *launcher_seed(const char *digest);

#endif
