/* ck_jit_machines.h - for ck_jit_machine.h: the files that define a struct ckjit_machine.
 * make writes it. */
#define CKJIT_EACH_MACHINE(M) M(aarch64) M(x86_64)
#include "ck_jit_aarch64.h"
#include "ck_jit_x86_64.h"
