/* onecopy.h - variables of which a library has one copy, and blobs that would have a second one.
 * Thread safety: none. */
#ifndef CKJIT_ONECOPY_H
#define CKJIT_ONECOPY_H

#include "core/base/elf.h"

/* Is SYM of the object E a variable that any object may have, of which the linker keeps one, and
 * that may change? Not a constant, nor the guard of one, nor DW.ref.__gxx_personality_v0. */
bool onecopy_is_shared(const struct elf *e, const struct elf_symbol *sym);

#endif
