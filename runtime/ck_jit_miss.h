/* ck_jit_miss.h - a kernel that no cache holds, in a process that compiles nothing
 * (CK_JIT_ON_MISS=error). */
#ifndef CK_JIT_MISS_H
#define CK_JIT_MISS_H

#include "ck_jit_wanted.h"

/* Append to MISSING that W is not compiled: the searched places, and the command that would build
 * it. */
CKJIT_LOCAL void ckjit_tell_miss(const struct ckjit_wanted *w, struct ckjit_text *missing);

#endif
