/* toolkit.h - the device functions of CUDA's toolkit, by their names in the bitcode of nvcc's front
 * end.
 *
 * They are undefined in the bitcode of each unit, but do not concern the device link: the optimiser
 * takes them from libdevice or makes instructions of them, and printf, malloc and the like are the
 * driver's. A user's extern "C" function may be undefined there as well, and nvlink has to report
 * it, so these are recognised by name. A name that is missing here costs a library its laziness,
 * and nothing else.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_TOOLKIT_H
#define CKJIT_TOOLKIT_H

#include <stdbool.h>

/* Does NAME need no definition in a device link? */
bool toolkit_has(const char *name);
/* Is NAME a function of libcudadevrt that only a kernel that launches others needs? */
bool toolkit_launches(const char *name);

#endif
