/* hostbodies.h - finds the bodies of host-only functions in the preprocessed text of a HIP unit for
 * a device.
 *
 * A compile of such a text for a device translates none of them, but the compiler reads them and
 * instantiates the templates that they use: for a unit of ComposableKernel these are all its
 * classes of instances, each time one kernel is compiled.
 *
 * The functions found are definitions at namespace scope that can mean nothing to a device: they
 * are not templates, not constexpr, have no deduced type and no attributes of a device, and declare
 * nothing of a device inside. Code that is not understood is not found.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_HOSTBODIES_H
#define CKJIT_HOSTBODIES_H

#include "cxxlex.h"

struct host_body {
  uint32_t open, close; /* its { and } */
};

/* The bodies in T, a text whose directives are not among its tokens but in DIRECTIVES, N of them.
 * In their order, COUNT of them; free() the result. */
struct host_body *hostbodies_find(const struct cxx_text *t, const struct cxx_tok *directives,
                                  size_t n, size_t *count);

#endif
