/* ck_jit_load.h - loads the file of a compiled blob.
 *
 * A cache entry is checked in the file (ck_jit_entry.h), loaded by its path, and checked again in
 * memory. It is not loaded as /proc/self/fd/N, which would be the very file that was checked:
 * debuggers, profilers and backtraces print and open the name that the dynamic linker was given,
 * and glibc takes two loads of one name for one object, so a reused descriptor number would give a
 * kernel another kernel's code. The second check closes the window instead: the mapped object has
 * the wanted build id or is not used. It also detects a case that no check of the file can: the
 * file was replaced since this process loaded it for another library.
 *
 * A loaded blob stays loaded: pointers to its functions are in slots, on stacks and in HIP's
 * tables.
 */
#ifndef CK_JIT_LOAD_H
#define CK_JIT_LOAD_H

#include "ck_jit_text.h"

/* Is the object of HANDLE, of dlopen, that of build id WANT? */
CKJIT_LOCAL bool ckjit_mapped_is(void *handle, const uint8_t want[CKJIT_BUILD_ID_SIZE]);
/* Load the entry PATH with build id WANT, open at FD, which is closed: from FD if its file has no
 * name, otherwise as ckjit_load. */
CKJIT_LOCAL void *ckjit_load_kept(const char *path, int fd, uint64_t number,
                                  const uint8_t want[CKJIT_BUILD_ID_SIZE], struct ckjit_text *why);
/* Load PATH, which is absolute and has build id WANT. NUMBER, unless it is 0, becomes part of the
 * name's spelling: with the file's inode the name is unique. NULL and the reason in WHY on failure.
 * Thread-safe. */
CKJIT_LOCAL void *ckjit_load(const char *path, uint64_t number,
                             const uint8_t want[CKJIT_BUILD_ID_SIZE], struct ckjit_text *why);

#endif
