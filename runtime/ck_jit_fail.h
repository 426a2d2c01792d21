/* ck_jit_fail.h - how a call ends whose kernel cannot be had: with an exception or an abort.
 *
 * It is thrown unless CK_JIT_ON_ERROR is abort; also aborts a library that was linked without the C++ object
 * that throws. libckjit.so's functions do neither: they return the message.
 */
#ifndef CK_JIT_FAIL_H
#define CK_JIT_FAIL_H

#include "ck_jit_text.h"

/* Fail with ERROR, "STEM: …", which is freed. To be called without cancellation disabled and with nothing
 * locked or allocated: the exception leaves through the caller. */
CKJIT_LOCAL _Noreturn void ckjit_fail(struct ckjit_text *error);

/* Say once that the value of CK_JIT_ON_ERROR is none; it counts as throw. */
CKJIT_LOCAL void ckjit_check_on_error(void);

#endif
