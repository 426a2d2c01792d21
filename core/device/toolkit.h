/* toolkit.h - the functions that CUDA's toolkit has for a device, by what the front end of nvcc calls them in its bitcode.
 *
 * They are open in the bitcode of each unit, and are no matter of the device link: the optimiser has them from libdevice or makes
 * instructions of them, and printf, malloc and their like are the driver's. An extern "C" function of the user's may be open there as well, and nvlink
 * has to say so, so these are told by name. A name that is not known here costs a library its laziness, and nothing else.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_TOOLKIT_H
#define CKJIT_TOOLKIT_H

#include <stdbool.h>

/* Is NAME one that needs no definition in a device link? */
bool toolkit_has(const char *name);
/* Is NAME one of libcudadevrt's, that only a kernel which launches others needs? */
bool toolkit_launches(const char *name);

#endif
