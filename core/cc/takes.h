/* takes.h - finds files that a text takes in besides headers, and that no list of a compiler's
 * inputs names.
 *
 * The assembler reads the files of .incbin and .include when it comes to them, and no depfile has
 * them. clang's depfiles have the files of #embed, but not those that __has_embed looks for. A unit
 * with such a text is compiled as the build compiles it.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_TAKES_H
#define CKJIT_TAKES_H

#include "core/base/base.h"

/* The first directive in the N bytes at TEXT that takes in a file, as a constant: ".incbin",
 * ".include" or "__has_embed"; NULL: there is none. A comment counts as well; one that a macro
 * pastes together is not seen. */
const char *takes_file(const char *text, size_t n);

#endif
