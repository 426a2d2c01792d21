/* tell.h - who compiles what we were started for, and since when: told on standard output
 * (--progress).
 *
 * The runtime of a job reads it, and says it when a call has waited for long
 * (runtime/ck_jit_waiting.h). A line is written when the answer changes: it is us, or another
 * process for whose lock we wait. If we compile and wait for what several kernels share, a fragment
 * or a precompiled header, it is us, and the line has who makes that.
 *
 * Nothing fails. Thread safety: none.
 */
#ifndef CKJIT_COMPILE_TELL_H
#define CKJIT_COMPILE_TELL_H

#include "task.h"

/* We compile T from now on. */
void tell_ours(const struct compile_task *t);
/* We wait for LOCK, under which another process compiles T; NULL: no longer. Borrows both. T may be
 * a part of what we compile. */
void tell_waits(const struct compile_task *t, const char *lock);
/* We, who compile, wait for LOCK, under which another process makes WHAT NAME, which we need; NULL:
 * no longer. Borrows LOCK. */
void tell_waits_for(const char *lock, const char *what, const char *name);
/* While we wait, several times a second: has the lock another holder? */
void tell_look(void);

#endif
