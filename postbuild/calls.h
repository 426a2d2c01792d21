/* calls.h - which functions of a forwarding unit are called otherwise than by the machine's usual
 * convention (struct ckjit_calls). */
#ifndef CKJIT_CALLS_H
#define CKJIT_CALLS_H

#include "abi/ck_jit_machine.h"
#include "core/base/base.h"

struct calls;

/* Reads the calls from the text SOURCE of a unit for MACHINE; NULL: there are none. calls_free()
 * it. */
struct calls *calls_read(const struct ckjit_machine *machine, const char *source);
/* The bits of st_other of the stub of FUNCTION, whose symbol is NAME. */
uint8_t calls_of(const struct calls *c, size_t function, const char *name);
void calls_free(struct calls *c);

#endif
