/* ck_jit_blob.h - gets a blob from the table or the cache, or compiles it; and its functions. */
#ifndef CK_JIT_BLOB_H
#define CK_JIT_BLOB_H

#include "ck_jit_text.h"

/* The handle of BLOB, or NULL and the reason in ERROR. For a call of its function F it may be the
 * handle of its host-only functions (ck_jit_alone.h); ckjit_facts.functions: for no call.
 * Thread-safe; a compile takes minutes. */
CKJIT_LOCAL void *ckjit_handle(uint32_t blob, uint32_t f, struct ckjit_text *error);
/* The address of function F in HANDLE, or NULL and the reason in ERROR. Thread-safe. */
CKJIT_LOCAL void *ckjit_address(uint32_t f, void *handle, struct ckjit_text *error);

#endif
