/* mangled.h - what the mangled name of a function says.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_MANGLED_H
#define CKJIT_MANGLED_H

#include "core/base/argv.h"

/* Appends the components of the mangled SYMBOL, without template arguments and parameters:
 * "gsplat", "launch_adam". An operator is "operator", a destructor has the name of its class. A
 * symbol of another kind, such as a virtual table, ends with its class and sets *OF_CLASS. */
void mangled_names(struct argv *names, const char *symbol, bool *of_class);

/* Returns how many parameters the mangled SYMBOL has; -1: that is not clear. */
int mangled_parameters(const char *symbol);

#endif
