/* devicejudge.h - can the kernels of these units be linked one by one, each when it is launched, as nvlink would link all of them at once?
 *
 * What decides is what ckjit-unit read in each unit's bitcode (core/files/linkedunit.h). No: nvlink has to link them, as it would without
 * ckjit, or has to say in its own words why it cannot. Thread safety: no shared state.
 */
#ifndef CKJIT_DEVICEJUDGE_H
#define CKJIT_DEVICEJUDGE_H

#include "core/files/linkedunit.h"

/* Why not, of the N UNITS of one device link; NULL: they can. free() it. */
char *devicejudge(const struct linkedunit *units, size_t n);

/* For the list of the N UNITS of a library: of what they define, leave what others need. If no function that others need is defined
 * twice, nothing is to be chosen: they lose their tags, and a kernel has what nvlink would give it. */
void devicejudge_shorten(struct linkedunit *units, size_t n);

#endif
