/* ck_jit_together.h - which blobs are needed together: what rows of dispatchers' tables say (ckjit_together, ck_jit_abi.h).
 *
 * A row calls functions of several blobs one after another: CK's backward has dot_do_o, dq_dk_dv and convert_dq. Blobs are shared
 * by rows, dot_do_o by dozens, so a function does not tell its row. The row tells, once in a process, before its first call.
 *
 * Thread-safe, and safe across forks: the list only grows, without a lock.
 */
#ifndef CK_JIT_TOGETHER_H
#define CK_JIT_TOGETHER_H

#include "ck_jit_abi.h"

/* The blobs of a row, in the order in which it names them, each once. */
struct ckjit_row {
  struct ckjit_row *next;
  uintptr_t thread; /* that told it */
  uint32_t n, blobs[];
};

/* The row that this thread was in last of those that call BLOB; one of another thread's if it was in none. NULL: no row does. */
CKJIT_LOCAL const struct ckjit_row *ckjit_row_of(uint32_t blob);

#endif
