/* probe.h - does the compiler know the architectures that it is to compile for? Thread safety: main thread
 * only. */
#ifndef CKJIT_PREBUILD_PROBE_H
#define CKJIT_PREBUILD_PROBE_H

#include "prebuild.h"

/* Ask the compiler once for each architecture of the requested blobs, by PROGRAM, ckjit-compile. False, with
 * its message printed: it knows one of them not. */
bool probe_archs(const struct request *r, const char *program);

#endif
