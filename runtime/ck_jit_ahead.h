/* ck_jit_ahead.h - compiles kernels ahead of their calls, beside a compile that a call waits
 * for. */
#ifndef CK_JIT_AHEAD_H
#define CK_JIT_AHEAD_H

#include "ck_jit_wanted.h"

/* W's compile runs: start a process that compiles the kernels that will be needed next
 * (compile/ahead.h). Waits for no compile, and reports no failure: a missing kernel is compiled
 * when it is called. Thread-safe. */
CKJIT_LOCAL void ckjit_ahead(const struct ckjit_wanted *w);
/* A call has found the entry of W. If this process had it compiled without knowing whether it would
 * be called, record the call, for which an upgrade will want it (ck_jit_record.h): ckjit-compile
 * does that. Thread-safe. */
CKJIT_LOCAL void ckjit_record_call(struct ckjit_wanted *w);

#endif
