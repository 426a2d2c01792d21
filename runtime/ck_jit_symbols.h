/* ck_jit_symbols.h - the functions that a loaded object defines.
 *
 * The embedded manifest has the hash of each mangled name and not the name: thousands of them are long. So a
 * function is found by walking the object's .dynsym. A blob has few.
 *
 * Thread-safe. What they return is borrowed from the object.
 */
#ifndef CK_JIT_SYMBOLS_H
#define CK_JIT_SYMBOLS_H

#include "ck_jit_text.h"

#include <stdbool.h>

/* For what reads the dynamic linker's own data: it has locks of which ThreadSanitizer does not know, so a map
 * that one thread's dlopen made and another's was given looks like a race. */
#define CKJIT_READS_LINKER __attribute__((no_sanitize_thread))

/* The name of the function of HANDLE whose mangled name hashes to HASH, NULL if there is none. *FUNCTIONS
 * counts the functions that were looked at: without a hit, all that the object defines. */
CKJIT_LOCAL const char *ckjit_function_name(void *handle, uint64_t hash, size_t *functions);
/* Call EACH for every function that HANDLE defines, until it returns false. */
CKJIT_LOCAL void ckjit_each_function(void *handle, bool (*each)(const char *name, void *user), void *user);

/* Add what MANGLED is called in C++, or MANGLED itself: if it is no such name, or nothing in this process can tell. */
CKJIT_LOCAL void ckjit_add_demangled(struct ckjit_text *t, const char *mangled);

#endif
