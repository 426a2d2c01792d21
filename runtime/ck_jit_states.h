/* ck_jit_states.h - what the first call of each kernel would find, without calling it.
 *
 * Thread-safe. Reads the cache; starts and compiles nothing.
 */
#ifndef CK_JIT_STATES_H
#define CK_JIT_STATES_H

#include "ck_jit_text.h"

/* STATES[i], of enum ckjit_api_state, is that of BLOBS[i], of N. False, and why in ERROR, if the cache cannot be
 * trusted: those that need it are absent then; *ABOUT is the first of them. */
CKJIT_LOCAL bool ckjit_states(const uint32_t *blobs, size_t n, uint8_t *states, uint32_t *about,
                              struct ckjit_text *error);

/* Whether the cache DIR has an entry of BLOB's key, whatever its second half is. */
CKJIT_LOCAL bool ckjit_has_variant(const char *dir, uint32_t blob);

#endif
