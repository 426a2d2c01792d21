/* ck_jit_symbols.h - the functions that a loaded object defines.
 *
 * The embedded manifest has the hash of each mangled name and not the name, because thousands of
 * names are long. So a function is found by walking the object's .dynsym. A blob has few.
 *
 * Thread-safe. Results belong to the object.
 */
#ifndef CK_JIT_SYMBOLS_H
#define CK_JIT_SYMBOLS_H

#include "ck_jit_text.h"

#include <stdbool.h>

/* Marks functions that read the dynamic linker's own data: it has locks that ThreadSanitizer
 * does not know, so a map that one thread's dlopen made and another thread received looks like a
 * race. */
#define CKJIT_READS_LINKER __attribute__((no_sanitize_thread))

/* The name of the function of HANDLE whose mangled name hashes to HASH, or NULL. *FUNCTIONS counts
 * the functions that were examined: without a hit, all that the object defines. */
CKJIT_LOCAL const char *ckjit_function_name(void *handle, uint64_t hash, size_t *functions);
/* Call EACH for every function that HANDLE defines, until it returns false. */
CKJIT_LOCAL void ckjit_each_function(void *handle, bool (*each)(const char *name, void *user),
                                     void *user);

struct link_map;
struct dl_phdr_info;
/* Is INFO, of dl_iterate_phdr, the object of MAP? The dynamic section identifies it, whatever two
 * objects are called. */
CKJIT_LOCAL bool ckjit_is_object(const struct dl_phdr_info *info, const struct link_map *map);
/* What VALUE, a pointer of the dynamic section of MAP, points to. */
CKJIT_LOCAL const void *ckjit_dynamic_pointer(const struct link_map *map, uintptr_t value);

/* Add the C++ name of MANGLED, or MANGLED itself: if it is not a mangled name, or no demangler is
 * in this process. */
CKJIT_LOCAL void ckjit_add_demangled(struct ckjit_text *t, const char *mangled);

#endif
