/* ck_jit_ahead.h - what is compiled ahead of its call, beside a compile that a call waits for. */
#ifndef CK_JIT_AHEAD_H
#define CK_JIT_AHEAD_H

#include "ck_jit_wanted.h"

/* W's own compile runs: have a process started that compiles what will be needed next (compile/ahead.h). Waits for no compile,
 * and fails without a word: what is not there when it is called is compiled then. Thread-safe. */
CKJIT_LOCAL void ckjit_ahead(const struct ckjit_wanted *w);

#endif
