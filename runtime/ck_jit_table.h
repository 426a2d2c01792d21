/* ck_jit_table.h - the in-process table: which blobs are loaded, and the slots that lead to them.
 *
 * A blob enters the table when it is loaded, and stays. The runtime does not see its calls any more, for the
 * slots of its functions are filled. Two variables change that, for debugging and for measuring:
 *
 *     CK_JIT_DISABLE_MEMORY_CACHING=1   nothing enters it, no slot is filled: each call looks the blob up
 *     CK_JIT_MEMORY_CACHE_MAX=N         N blobs at most; the least recently seen one makes room
 *
 * What leaves the table has its slots cleared and is looked up by its next call. It is not unloaded: a thread
 * may be in it at this moment, or hold a pointer to it, and nobody can know. A stub loads its slot once, so
 * clearing a slot is safe at any time.
 *
 * Thread-safe.
 */
#ifndef CK_JIT_TABLE_H
#define CK_JIT_TABLE_H

#include "ck_jit_abi.h"

#include <stdbool.h>

/* The handle of BLOB if it is in the table, else NULL. */
CKJIT_LOCAL void *ckjit_loaded(uint32_t blob);
/* The same for one who only asks: it does not count as a use. */
CKJIT_LOCAL bool ckjit_is_loaded(uint32_t blob);
/* Put *HANDLE into the table as that of BLOB: true, or false if another thread was first, whose handle
 * *HANDLE is then. */
CKJIT_LOCAL bool ckjit_enter(uint32_t blob, void **handle);
/* The stub of function INDEX of UNIT, whose slots are SLOTS, may jump to ADDRESS in HANDLE from now on,
 * unless its blob has left the table meanwhile; or HANDLE has functions of it that launch nothing (ck_jit_alone.h). */
CKJIT_LOCAL void ckjit_fill(void **slots, uint32_t unit, uint32_t index, const void *handle, void *address);
/* The functions of BLOB are looked up by their next calls. */
CKJIT_LOCAL void ckjit_clear(uint32_t blob);

#endif
