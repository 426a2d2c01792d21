/* ck_jit_say.h - prints the runtime's messages on standard error.
 *
 *     ckjit: value0: compiled in 11.9 s                           CK_JIT_VERBOSE
 *     ckjit: note: value0: waiting for 5.0 s; being compiled …     ck_jit_waiting.h
 *     ckjit: warning: CK_JIT_CAPTURE=/x: Permission denied; …
 *     ckjit: error: value0: it could not be compiled: …           CK_JIT_ON_ERROR=abort
 *
 * A failed call usually throws (ck_jit_fail.h), and then the program decides what to print. A
 * program that has set a logger (ckjit_set_logger of libckjit) gets all messages instead; the
 * message before an abort is printed as well, because it is the process's last.
 *
 * Thread-safe.
 */
#ifndef CK_JIT_SAY_H
#define CK_JIT_SAY_H

#include "ck_jit_api.h"
#include "ck_jit_text.h"

enum ckjit_severity {
  CKJIT_PROGRESS = CKJIT_SAYS_PROGRESS, /* without a word before it */
  CKJIT_NOTE = CKJIT_SAYS_NOTE,
  CKJIT_WARNING = CKJIT_SAYS_WARNING,
  CKJIT_ERROR = CKJIT_SAYS_ERROR,
};

/* Print TEXT, N bytes and a NUL, one or more lines without the last newline, with one write: lines
 * of other threads and processes do not mix into it. Allocates nothing, because the error may be a
 * lack of memory. If standard error accepts nothing now (a full pipe, a stopped terminal, no
 * reader) the text is dropped: no call waits for it, and no signal is raised. */
CKJIT_LOCAL void ckjit_say(enum ckjit_severity severity, const char *text, size_t n);

/* As set_logger of ck_jit_api.h. */
CKJIT_LOCAL bool ckjit_set_logger_(ckjit_api_logger *logger, void *user);
/* In the child of a fork, with the mutex held: forget the threads that were in a logger. */
CKJIT_LOCAL void ckjit_loggers_forget(void);

/* Print a warning, once: *SAID is the caller's static variable, 0 before. Jobs run for days and
 * have thousands of kernels. */
CKJIT_LOCAL void ckjit_warn_once(int *said, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
