/* ck_jit_trampoline.c - from a forwarding stub with an empty slot to ckjit_resolve, and on to the
 * function.
 *
 * A stub is a jump through its slot, so arguments, hidden result pointers, varargs and stack
 * arguments are where the caller put them and the stub need not know their form. The price is paid
 * here, once for each function: while the blob compiles, every register that can carry an argument
 * must survive. The machine decides which registers these are and how they are saved: the code is
 * in the machine's file (ck_jit_machine.h).
 *
 * Unwinding: ckjit_resolve throws when a kernel cannot be compiled, so the frame has unwind
 * information at each instruction. The exception leaves through here into the caller of the stub,
 * as if the function had thrown it.
 */
#include "ck_jit_machine.h"

#define CKJIT_WANTS_TRAMPOLINE
#include CKJIT_OWN_FILE
#undef CKJIT_WANTS_TRAMPOLINE
