/* cxxmacro.h - macros with parameters that stand at namespace scope: finds them in a text and
 * expands them in one.
 *
 *     INSTANTIATE(256, V1)        template void gemm<A0, 256, V1>(const args& a);
 *
 * This is the part of the preprocessor that generators rely on: a name is replaced by its body, the
 * parameters by the arguments, and ## joins two words. Rare forms are refused: # of a parameter,
 * __VA_OPT__, a macro that is defined twice. Thread safety: no shared state.
 */
#ifndef CKJIT_CXXMACRO_H
#define CKJIT_CXXMACRO_H

#include "cxxlex.h"

struct cxx_macro {
  /* The text of the directive after its #: define NAME ( a , b ) body */
  struct cxx_text line;
  uint32_t params, params_end; /* the first parameter, and the ")" */
  bool variadic;               /* the last parameter is … */
};

enum cxx_macro_found { CXX_MACRO_NONE, CXX_MACRO_FOUND, CXX_MACRO_UNCLEAR };

/* Look in LEN bytes of TEXT for the definition of NAME, N bytes. Found: *M is it, to be freed with
 * cxx_macro_free; TEXT must stay valid until then. Unclear: there are several, which a condition or
 * an #undef may choose from, or it has no parameters. */
enum cxx_macro_found cxx_macro_find(struct cxx_macro *m, const char *text, size_t len,
                                    const char *name, size_t n);
/* Reads one definition from the LEN bytes of LINE, the text of the directive after its #. A macro
 * without parameters has PARAMS 0. Returns false, with nothing to free, if the definition is not
 * understood. */
bool cxx_macro_read(struct cxx_macro *m, const char *line, size_t len);
/* Append TEXT to OUT, with the body in place of each call of M. Lines keep their numbers. False,
 * and OUT is of no use, if a call or the body is not understood. */
bool cxx_macro_expand(const struct cxx_macro *m, const char *text, size_t len, struct buf *out);
void cxx_macro_free(struct cxx_macro *m);

#endif
