/* cxxdeclarator.h - a closer look at one declaration: which name it declares, and the parts of its
 * linkage that its shape (cxxshape.h) does not determine. For cxxscan.c. Thread safety: no shared
 * state.
 */
#ifndef CKJIT_CXXDECLARATOR_H
#define CKJIT_CXXDECLARATOR_H

#include "cxxscan.h"
#include "cxxshape.h"

/* ---- names: these set name and name_end of IT, or leave them alone if they find none ---- */

/* The name is the one word at AT. */
static inline void cxx_name_single(struct cxx_item *it, uint32_t at) {
  it->name = at;
  it->name_end = at + 1;
}
/* The name before the parameter list of shape D, qualified or not, and args, the <…> after it. SIG
 * is the start of the declaration after any template<>. False if there is none. */
bool cxx_name_before_params(const struct cxx_text *t, uint32_t sig, const struct cxx_shape *d,
                            struct cxx_item *it);
/* typedef T N; typedef T (*N)(…); typedef T N[3]; typedef T N(…); typedef struct {…} N;  WORD is
 * the typedef. */
void cxx_name_typedef(const struct cxx_text *t, uint32_t word, uint32_t end, struct cxx_item *it);
/* of a variable: the identifier before =, {, [ or ; */
void cxx_name_variable(const struct cxx_text *t, const struct cxx_shape *d, struct cxx_item *it);

/* ---- questions ---- */

/* Is token I a keyword of a type that is not a class? Its variables run no constructor. */
bool cxx_is_builtin(const struct cxx_text *t, uint32_t i);

/* Does the name of IT, before a parameter list, name a constructor: `own::own(int n) : n(n)
 * {…}`? */
bool cxx_names_constructor(const struct cxx_text *t, const struct cxx_item *it);
/* Is the parameter list really one? `NAME(fwd)<t>(args a) {…}` and `API(float) f<t>(args a) {…}`
 * begin with a macro's arguments; in `f<n < 3>(…)` the list does not begin where it seems to. */
bool cxx_plain_declarator(const struct cxx_text *t, uint32_t sig, const struct cxx_shape *d,
                          const struct cxx_item *it);
/* Is a function declared, as by `float f(args a);`, and not a variable, as by
 * `static Registrar r("f", &f<int>);`? */
bool cxx_declares_function(const struct cxx_text *t, uint32_t begin, const struct cxx_shape *d,
                           const struct cxx_item *it);
/* Does the constant at BEGIN, with its name at NAME, run code when the library is loaded (`const
 * bool r = enrol();`, `static const Registrar r{"f"};`)? Then it must not be left out. Assumed of
 * everything that does not look harmless; cxxstate.h looks closer. */
bool cxx_has_effects(const struct cxx_text *t, const struct cxx_shape *d, uint32_t begin,
                     uint32_t name);
/* Is the variable itself const, which gives it internal linkage? `const T x` is; `const T* x` and
 * `const T& x` are not. */
bool cxx_const_itself(const struct cxx_text *t, const struct cxx_shape *d, uint32_t name);

/* Is WORD among the tokens of IT, of S, before its body? */
bool cxx_head_says(const struct cxx_scan *s, const struct cxx_item *it, const char *word);
/* Is IT of the device, or of both, __device__ or __constant__? */
bool cxx_is_of_device(const struct cxx_scan *s, const struct cxx_item *it);
/* Does IT give a function another name than its own, or a second one? */
bool cxx_renames(const struct cxx_scan *s, const struct cxx_item *it);

#endif
