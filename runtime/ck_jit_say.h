/* ck_jit_say.h - what the runtime prints on standard error.
 *
 *     ckjit: value0: compiled in 11.9 s                           CK_JIT_VERBOSE
 *     ckjit: warning: CK_JIT_CAPTURE=/x: Permission denied; …
 *     ckjit: error: value0: it could not be compiled: …           CK_JIT_ON_ERROR=abort
 *
 * A failed call throws as a rule (ck_jit_fail.h), and then the program decides what is printed.
 *
 * Thread-safe.
 */
#ifndef CK_JIT_SAY_H
#define CK_JIT_SAY_H

#include "ck_jit_text.h"

enum ckjit_severity {
  CKJIT_PROGRESS, /* has no word before it */
  CKJIT_WARNING,
  CKJIT_ERROR,
};

/* Print N bytes of TEXT, a line or more without the last newline, with one write: lines of other threads and
 * processes do not mix into it. Allocates nothing: the error may be that there is no memory. */
CKJIT_LOCAL void ckjit_say(enum ckjit_severity severity, const char *text, size_t n);

/* Print a warning, once: *SAID is the caller's static variable, 0 before. Jobs run for days, and have thousands
 * of kernels. */
CKJIT_LOCAL void ckjit_warn_once(int *said, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
