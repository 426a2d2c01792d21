/* entrykernels.h - which kernels an entry of the cache has code of. Thread-safe; it never reads
 * outside a file, whatever that contains. */
#ifndef CKJIT_PREBUILD_ENTRYKERNELS_H
#define CKJIT_PREBUILD_ENTRYKERNELS_H

#include "core/base/argv.h"

/* Append to NAMES, each once, the mangled names of the kernels that the shared object FILE has code
 * of, or registers. False: unknown. */
bool entry_kernels(struct argv *names, const char *file);

#endif
