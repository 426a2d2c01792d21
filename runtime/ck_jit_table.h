/* ck_jit_table.h - the in-process table: the loaded blobs, and the slots that lead to them.
 *
 * A blob enters the table when it is loaded, and stays. After that the runtime does not see its
 * calls, because the slots of its functions are filled. Two variables change that, for debugging
 * and for measuring:
 *
 *     CK_JIT_DISABLE_MEMORY_CACHING=1   nothing enters it, no slot is filled: calls look blobs up
 *     CK_JIT_MEMORY_CACHE_MAX=N         N blobs at most; the least recently seen one makes room
 *
 * The slots of a blob that leaves the table are cleared, and its next call looks it up. It is not
 * unloaded: a thread may be in it at this moment, or hold a pointer to it, and nobody can know. A
 * stub loads its slot once, so clearing a slot is safe at any time.
 *
 * Thread-safe.
 */
#ifndef CK_JIT_TABLE_H
#define CK_JIT_TABLE_H

#include "ck_jit_abi.h"

#include <stdbool.h>

/* The handle of BLOB if it is in the table, else NULL. */
CKJIT_LOCAL void *ckjit_loaded(uint32_t blob);
/* The same for a query that does not count as a use. */
CKJIT_LOCAL bool ckjit_is_loaded(uint32_t blob);
/* Put *HANDLE into the table as that of BLOB: true. False if another thread was first; then *HANDLE
 * becomes that thread's. */
CKJIT_LOCAL bool ckjit_enter(uint32_t blob, void **handle);
/* From now on the stub of function INDEX of UNIT, whose slots are SLOTS, may jump to ADDRESS in
 * HANDLE. Does nothing if its blob has left the table meanwhile, unless HANDLE has its host-only
 * functions (ck_jit_alone.h). */
CKJIT_LOCAL void ckjit_fill(void **slots, uint32_t unit, uint32_t index, const void *handle,
                            void *address);
/* Clear the slots of BLOB: the next calls of its functions look them up. */
CKJIT_LOCAL void ckjit_clear(uint32_t blob);

#endif
