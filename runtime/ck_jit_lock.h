/* ck_jit_lock.h - the runtime's mutex, and its behaviour in a fork.
 *
 * One mutex guards the flights and their list, and changes of more than one word of the in-process
 * table. It is held for a few instructions at a time, never during a look-up, a compile or a load;
 * so different blobs are compiled and loaded at the same time. CK_JIT_CAPTURE has a separate mutex,
 * which is held while its file is written and may be taken before this one, not after it.
 *
 * A fork copies a mutex as it is, and flights of threads that the child does not have. So fork
 * waits for both, and the child starts with no flight: its next call compiles or, more often, waits
 * in ckjit-compile.
 */
#ifndef CK_JIT_LOCK_H
#define CK_JIT_LOCK_H

#include "ck_jit_abi.h"
#include "ck_jit_mutex.h"

#include <stdint.h>

/* Make forks handle the mutexes; call it before taking one of them for the first time.
 * Thread-safe. */
CKJIT_LOCAL void ckjit_prepare_fork(void);

CKJIT_LOCAL void ckjit_lock(void);
CKJIT_LOCAL void ckjit_unlock(void);
/* Release the mutex, which is held, and sleep while *WORD, which it guards, is SEEN, until
 * ckjit_wake or any signal; then take it again. Handlers run as if the program itself slept. */
CKJIT_LOCAL void ckjit_wait(const uint32_t *word, uint32_t seen);
/* *WORD has changed. The mutex is held. */
CKJIT_LOCAL void ckjit_wake(const uint32_t *word);

#endif
