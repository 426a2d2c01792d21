/* absent.h - headers that __has_include looks for and does not find. */
#ifndef CKJIT_ABSENT_H
#define CKJIT_ABSENT_H

#include "units.h"

#include "core/cache/inputs.h"

/* Append to MISSING the names that must not come to be, as __has_include in the headers or blobs of group G would find them; paths
 * absolute. Nothing, unless its compiler is nvcc. DIRS: those of its command line; COMPILER: what it is asked with. For the
 * main thread. */
void absent_headers(struct argv *missing, const struct group *g, const struct units *u,
                    const struct argv *dirs, const struct inputs *compiler);

#endif
