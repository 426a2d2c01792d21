/* cxxshape.h - the outline of one declaration: where its parts are, and which specifiers it has.
 *
 *     template<> float fmha_fwd_<trait_0>(const args& a) noexcept {…}
 *                |                       |              |        | end
 *                read from here          params         |        body
 *                                                       params_end
 *
 * The outline is found from brackets and a few keywords, without the meaning of any name. That is
 * enough to tell functions from variables and classes, and to see what has external linkage.
 * cxxdeclarator.h answers the questions that need a closer look.
 *
 * All indices are tokens of the text; 0 means none. Thread safety: no shared state.
 */
#ifndef CKJIT_CXXSHAPE_H
#define CKJIT_CXXSHAPE_H

#include "cxxlex.h"

struct cxx_shape {
  uint32_t end;    /* after ; or the body */
  uint32_t params; /* "(" of the parameter list */
  uint32_t params_end;
  uint32_t body;   /* "{" of a function's body */
  uint32_t assign; /* "=" of an initialiser */
  /* class, struct, union, enum at the top … */
  bool klass;
  bool klass_body; /* … and it is defined here */
  /* something is declared after the class body */
  bool after_klass;
  uint32_t is_const; /* the last const, its index + 1 */
  bool is_static, is_inline, is_constexpr, is_extern, kernel, device, op;
};

/* Find the end and the parts of the declaration at I, before END. False if it does not end. */
bool cxx_shape_read(const struct cxx_text *t, uint32_t i, uint32_t end, struct cxx_shape *d);

/* Is token I one of the N WORDS? */
bool cxx_one_of(const struct cxx_text *t, uint32_t i, const char *const *words, size_t n);
#define CXX_ONE_OF(t, i, words) cxx_one_of(t, i, words, sizeof(words) / sizeof *(words))

/* A namespace, or a group of extern "C", that opens. */
struct cxx_opening {
  uint32_t body;           /* after its { */
  uint32_t name, name_end; /* N or A::B; equal: unnamed, or a group */
  bool group, is_inline;
};
/* Does one open at I? Of another form of namespace, such as `namespace n = a;`, O has the name. */
bool cxx_opens(const struct cxx_text *t, uint32_t i, struct cxx_opening *o);

/* Is token I a word such as __attribute__, whose parentheses are no parameter list? */
bool cxx_takes_group(const struct cxx_text *t, uint32_t i);

#endif
