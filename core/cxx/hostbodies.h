/* hostbodies.h - the bodies of functions that are the host's alone, in preprocessed text of a HIP unit for a device.
 *
 * Who compiles such a text for a device translates none of them, but the compiler reads them, and instantiates the templates
 * that they use: of a unit of ComposableKernel all its classes of instances, each time that one kernel is compiled.
 *
 * Found are definitions at namespace scope that can mean nothing to a device: no templates, not constexpr, of no deduced type, without
 * attributes of a device, and nothing of a device declared in them. What is not understood is not found.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_HOSTBODIES_H
#define CKJIT_HOSTBODIES_H

#include "cxxlex.h"

struct host_body {
  uint32_t open, close; /* its { and } */
};

/* The bodies in T, a text whose directives are not among its tokens but in DIRECTIVES, N of them. In their order, COUNT of
 * them; free() the result. */
struct host_body *hostbodies_find(const struct cxx_text *t, const struct cxx_tok *directives, size_t n,
                                  size_t *count);

#endif
