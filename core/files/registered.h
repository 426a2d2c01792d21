/* registered.h - the names of the kernels that the host's object of a lazy unit registers.
 *
 * Ownership: the names are the caller's. Errors: none; code of another form has no names. Thread
 * safety: no shared state.
 */
#ifndef CKJIT_REGISTERED_H
#define CKJIT_REGISTERED_H

#include "core/base/argv.h"
#include "core/base/elf.h"

/* The section with the names of a CUDA unit's kernels, one after another, if ckjit-unit has written
 * the registering code (unit/cudastub.c). Otherwise only the text has them. */
#define REGISTERED_NAMES ".rodata.ckjit_names"

/* Append the mangled names of the kernels that OBJECT registers, in order; nothing if its code is
 * not understood. */
void registered_kernels(struct argv *kernels, const struct elf *object);

#endif
