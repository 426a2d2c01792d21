/* programtext.h - texts of the program that are linked to a kernel (docs/fragments.md): each becomes a
 * unit that is compiled like the kernel's.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMPILE_UNIT_PROGRAMTEXT_H
#define CKJIT_COMPILE_UNIT_PROGRAMTEXT_H

#include "compile/task.h"
#include "core/files/linkedunit.h"

/* Append a unit of each of TEXTS to ALL, whose first is the kernel's, of T. */
void programtext_add(struct linkedunits *all, const struct argv *texts, const struct compile_task *t);

#endif
