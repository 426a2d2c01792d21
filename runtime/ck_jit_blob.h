/* ck_jit_blob.h - a blob, from the table, from the cache, or compiled into it; and its functions. */
#ifndef CK_JIT_BLOB_H
#define CK_JIT_BLOB_H

#include "ck_jit_text.h"

/* The handle of BLOB, or NULL and why in ERROR. Thread-safe; takes minutes if it has to be compiled. */
CKJIT_LOCAL void *ckjit_handle(uint32_t blob, struct ckjit_text *error);
/* The address of function F, which is called, and the HANDLE of its blob; NULL: it is of the host alone (ck_jit_host.h).
 * NULL and why in ERROR. As ckjit_handle. */
CKJIT_LOCAL void *ckjit_called(uint32_t f, void **handle, struct ckjit_text *error);
/* The address of function F in HANDLE, or NULL and why in ERROR. Thread-safe. */
CKJIT_LOCAL void *ckjit_address(uint32_t f, void *handle, struct ckjit_text *error);

#endif
