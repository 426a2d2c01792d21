/* ck_jit_machines.h - the machines, as ck_jit_machine.h needs them. make writes it: a machine is a file that defines a struct ckjit_machine. */
#define CKJIT_EACH_MACHINE(M) M(aarch64) M(x86_64)
#include "ck_jit_aarch64.h"
#include "ck_jit_x86_64.h"
