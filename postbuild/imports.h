/* imports.h - the symbols of the library's objects that its table for blobs can have (imports.c).
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_IMPORTS_H
#define CKJIT_IMPORTS_H

#include "core/base/elf.h"

/* Is SYM a name that a recorded object was given (symbols.c)? */
bool imports_of_record(const struct elf *e, const struct elf_symbol *sym);
/* Can a blob that is loaded apart have SYM, a symbol of the object E, by the table? */
bool imports_may(const struct elf *e, const struct elf_symbol *sym);

/* Is SYM of the object E a variable that any object may have, of which the linker keeps one, and that may
 * change, thread-local ones too, or the guard of one? Not a constant, nor DW.ref.__gxx_personality_v0. */
bool imports_is_one_copy(const struct elf *e, const struct elf_symbol *sym);

#endif
