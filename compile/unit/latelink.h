/* latelink.h - the object of a late host side made an entry: linked with the registry, the bitcode, and the
 * libraries of its library's link.
 */
#ifndef CKJIT_COMPILE_UNIT_LATELINK_H
#define CKJIT_COMPILE_UNIT_LATELINK_H

#include "cudasteps.h"

/* The file that has what frontsteps_write writes. */
#define LATE_STEPS "steps"

/* Make OUTPUT of C's object and bitcode, and of LATE_STEPS. False with *WHY (compile/plan.h): the blob must be compiled
 * whole. */
bool late_link(struct cuda *c, const char *output, const char **why);

#endif
