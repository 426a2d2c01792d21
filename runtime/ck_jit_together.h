/* ck_jit_together.h - the blobs that are needed together, by the rows of dispatchers' tables
 * (ckjit_together, ck_jit_abi.h).
 *
 * A row calls functions of several blobs one after another: CK's backward has dot_do_o, dq_dk_dv
 * and convert_dq. Rows share blobs, dozens of them dot_do_o, so a function does not identify its
 * row. The row reports itself, once in a process, before its first call.
 *
 * Thread-safe, and safe across forks: the list only grows, without a lock.
 */
#ifndef CK_JIT_TOGETHER_H
#define CK_JIT_TOGETHER_H

#include "ck_jit_abi.h"

/* The blobs of a row, in its order, each once. */
struct ckjit_row {
  struct ckjit_row *next;
  uintptr_t thread; /* that reported it */
  uint32_t n, blobs[];
};

/* Of the rows that call BLOB, the one that this thread entered last; another thread's if this
 * thread entered none. NULL: no row does. */
CKJIT_LOCAL const struct ckjit_row *ckjit_row_of(uint32_t blob);

#endif
