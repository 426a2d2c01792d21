/* probe.h - does the compiler know the wanted architectures? Thread safety: main thread only. */
#ifndef CKJIT_PREBUILD_PROBE_H
#define CKJIT_PREBUILD_PROBE_H

#include "prebuild.h"

/* Ask the compiler once for each architecture of the requested blobs, by PROGRAM, ckjit-compile.
 * False, after printing its message: it does not know one of them. */
bool probe_archs(const struct request *r, const char *program);

#endif
