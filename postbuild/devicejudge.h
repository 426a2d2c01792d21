/* devicejudge.h - decides whether the kernels of these units can be linked one by one, each when it
 * is launched, with the result that nvlink would give for all of them at once.
 *
 * The decision uses the names that ckjit-unit read from each unit's bitcode
 * (core/files/linkedunit.h). If it is no, nvlink has to link them, as it would without ckjit, or to
 * report in its own words why it cannot. Thread safety: no shared state.
 */
#ifndef CKJIT_DEVICEJUDGE_H
#define CKJIT_DEVICEJUDGE_H

#include "core/files/linkedunit.h"

/* Why not, of the N UNITS of one device link; NULL: they can. free() it. */
char *devicejudge(const struct linkedunit *units, size_t n);

/* For the list of the N UNITS of a library: of what they define, leave what others need. If no
 * function that others need is defined twice, nothing is to be chosen: they lose their tags, and a
 * kernel has what nvlink would give it. */
void devicejudge_shorten(struct linkedunit *units, size_t n);

#endif
