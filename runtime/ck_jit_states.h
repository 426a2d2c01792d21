/* ck_jit_states.h - the result of the first call of each kernel, without calling it.
 *
 * Thread-safe. Reads the cache; starts and compiles nothing.
 */
#ifndef CK_JIT_STATES_H
#define CK_JIT_STATES_H

#include "ck_jit_text.h"

/* STATES[i] becomes the enum ckjit_api_state of BLOBS[i], of N. False, and the reason in ERROR, if
 * the cache cannot be trusted: then kernels that need it are absent, and *ABOUT is the first of
 * them. */
CKJIT_LOCAL bool ckjit_states(const uint32_t *blobs, size_t n, uint8_t *states, uint32_t *about,
                              struct ckjit_text *error);

/* Whether the cache DIR has an entry of BLOB's key, whatever its second half. */
CKJIT_LOCAL bool ckjit_has_variant(const char *dir, uint32_t blob);

#endif
