/* demand.h - the names of functions, as a link has them: mangled.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DEMAND_H
#define CKJIT_DEMAND_H

#include "blob.h"

/* Appends the components of the mangled SYMBOL, without template arguments and parameters:
 * "gsplat", "launch_adam". An operator is "operator", a destructor has the name of its class. A
 * symbol of another kind, such as a virtual table, ends with its class and sets *OF_CLASS. */
void demand_names(struct argv *names, const char *symbol, bool *of_class);

/* Returns how many parameters the mangled SYMBOL has; -1: that is not clear. */
int demand_parameters(const char *symbol);

/* Does the link demand all functions that B, which is late, defines under NAME? Each has a stub then. */
bool demand_has_all(const struct blob *b, const char *name);

#endif
