/* ck_jit_stack.h - runs a first call on a separate stack if the signal stack is too small.
 *
 * A first call looks entries up, starts a process and loads a shared object, whose constructors
 * run: 36 KiB of stack were measured. A thread's smallest usual stack has that, and a guard page. A
 * signal stack (sigaltstack) of SIGSTKSZ has 8 KiB, and anything may be below it. There a first
 * call runs on a separate stack.
 *
 * It does not detect stacks that the kernel does not know: those of coroutines, and signal stacks
 * with SS_AUTODISARM.
 */
#ifndef CK_JIT_STACK_H
#define CK_JIT_STACK_H

#include "ck_jit_text.h"

/* The free bytes of the signal stack that this thread is on; SIZE_MAX: it is on none. */
CKJIT_LOCAL size_t ckjit_stack_room(void);
/* Call RUN(DATA), which must not throw, on a sufficient stack. False, and the reason in ERROR:
 * there is none, and it did not run. */
CKJIT_LOCAL bool ckjit_with_stack(void (*run)(void *data), void *data, struct ckjit_text *error);

#endif
