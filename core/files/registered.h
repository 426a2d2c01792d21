/* registered.h - the names of the kernels that the host's object of a lazy unit registers.
 *
 * Ownership: the names are the caller's. Errors: none; code of another form has no names. Thread
 * safety: no shared state.
 */
#ifndef CKJIT_REGISTERED_H
#define CKJIT_REGISTERED_H

#include "core/base/argv.h"
#include "core/base/elf.h"

/* Append the mangled names of the kernels that OBJECT registers, in order; nothing if its code is
 * not understood. */
void registered_kernels(struct argv *kernels, const struct elf *object);

#endif
