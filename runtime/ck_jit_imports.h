/* ck_jit_imports.h - what a loaded entry needs of the library itself.
 *
 * An entry is loaded apart from its library, which hides most of its symbols. ckjit-compile leaves
 * what the entry does not define open: such a symbol is weak in its .dynsym and has the size
 * CKJIT_IMPORTED (ck_jit_abi.h). After dlopen each reference to it gets the address that a regular
 * link would have given it: the library's own, from the table that ckjit-link writes, else what the
 * library itself sees. So an address is the same in the entry and in the library, of functions and
 * of variables. The same holds for a variable that the entry has as any object may, of which a
 * regular link keeps one copy: the entry uses that of the library, else of the entry that this
 * library loaded first; of a thread-local one each thread has one.
 */
#ifndef CK_JIT_IMPORTS_H
#define CK_JIT_IMPORTS_H

#include "ck_jit_text.h"

#include <stdbool.h>

enum ckjit_imported {
  CKJIT_IMPORTS_DONE,
  /* another library of this process has filled them with its addresses */
  CKJIT_IMPORTS_TAKEN,
  /* nobody defines one of them: WHY names it */
  CKJIT_IMPORTS_MISSING,
};

/* Fill the references of HANDLE, from dlopen. Nothing of it may have been called. Thread-safe. */
CKJIT_LOCAL enum ckjit_imported ckjit_import(void *handle, struct ckjit_text *why);

#endif
