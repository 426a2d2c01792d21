/* ck_jit_blob.h - a blob, from the table, from the cache, or compiled into it; and its functions. */
#ifndef CK_JIT_BLOB_H
#define CK_JIT_BLOB_H

#include "ck_jit_text.h"

/* The handle of BLOB, or NULL and why in ERROR. For a call of its function F it may be that of something
 * with the functions that launch nothing (ck_jit_alone.h); CKJIT_FUNCTIONS: for no call. Thread-safe; takes minutes if it has to be compiled. */
CKJIT_LOCAL void *ckjit_handle(uint32_t blob, uint32_t f, struct ckjit_text *error);
/* The address of function F in HANDLE, or NULL and why in ERROR. Thread-safe. */
CKJIT_LOCAL void *ckjit_address(uint32_t f, void *handle, struct ckjit_text *error);

#endif
