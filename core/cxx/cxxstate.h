/* cxxstate.h - state of internal linkage: may a variable's initialiser run when the blob is loaded,
 * and not when the library is? For cxxscan.c.
 *
 * It may if nobody can tell the difference: the value is a literal, or the code that runs consists
 * of constructors that only fill the variable itself. The types of such constructors are those of
 * the standard library in cxxstate.c's table, those that the build's profile names, and those that
 * the unit defines itself and whose constructors can be read. A call of any other function may
 * print, read the environment or add to a registry of the library: then the unit is a host source.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CXXSTATE_H
#define CKJIT_CXXSTATE_H

#include "cxxscan.h"
#include "cxxshape.h"

/* Is the variable (or are the variables) of tokens BEGIN to END-1, including the ;, initialised
 * without visible effects? It is the last item of S; the items before it are the unit's own
 * definitions. */
bool cxx_state_is_harmless(const struct cxx_scan *s, uint32_t begin, uint32_t end);

/* Does the class whose body begins at the { of token BODY have a static inline member whose
 * initialiser may have visible effects: `inline static bool done = enrol();`? */
bool cxx_class_runs_code(const struct cxx_scan *s, uint32_t body);

#endif
