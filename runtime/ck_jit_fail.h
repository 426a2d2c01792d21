/* ck_jit_fail.h - ends a call whose kernel is not available, with an exception or an abort.
 *
 * It throws unless CK_JIT_ON_ERROR is abort. A library whose runtime was compiled without
 * CKJIT_THROWS aborts in any case. libckjit.so's functions do neither: they return the message.
 */
#ifndef CK_JIT_FAIL_H
#define CK_JIT_FAIL_H

#include "ck_jit_text.h"

/* Fail with ERROR, "STEM: …", which is freed. The exception leaves through the caller, which must
 * hold no lock and no memory, and must have nothing disabled. */
CKJIT_LOCAL _Noreturn void ckjit_fail(struct ckjit_text *error);

/* Warn once if the value of CK_JIT_ON_ERROR is not one of the two; it counts as throw. */
CKJIT_LOCAL void ckjit_check_on_error(void);

#endif
