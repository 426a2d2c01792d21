/* cxxscan.h - what a C++ translation unit defines, from its text alone.
 *
 * A blob, the unit that ckjit makes lazy, is recognised by what it *is*: its external definitions are
 * explicit specialisations or explicit instantiations of function templates that another file declares. No
 * name of any kernel family is needed for that. The scan does not preprocess and does not look into headers:
 * it splits the file into the declarations at namespace scope, with the namespaces and the conditional
 * directives that each stands in. If it does not understand something, it says so (ITEM_UNKNOWN,
 * cxx_scan.odd), and the callers compile the file as it is.
 *
 * Example, from CK's generator:
 *
 *     #include "fmha_fwd.hpp"                                  ITEM_INCLUDE
 *     using trait_0 = fmha_fwd_traits_<128, …>;                ITEM_ALIAS
 *     namespace { template <int N> struct instance {…}; }      ITEM_TYPE (in an unnamed namespace)
 *     template<> float fmha_fwd_<trait_0>(…) {…}               ITEM_SPECIALISATION
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CXXSCAN_H
#define CKJIT_CXXSCAN_H

#include "cxxlex.h"

/* What a translation unit is by its content alone. */
enum cxx_verdict {
  CXX_HOST, /* defines something external that is no explicit specialisation or instantiation */
  CXX_BLOB, /* all that it defines externally are explicit specialisations or instantiations of templates that
                 are declared elsewhere */
  CXX_UNSURE, /* nothing external in it, or not understood */
};
enum cxx_verdict cxx_classify(const char *text, size_t len);

enum cxx_item_kind {
  ITEM_INCLUDE,
  ITEM_DEFINE,         /* #define or #undef */
  ITEM_DIRECTIVE,      /* any other directive that is not a conditional */
  ITEM_ALIAS,          /* using N = …; typedef … N; template <…> using N = …; */
  ITEM_USING,          /* using namespace N; using A::N; namespace N = A::B; */
  ITEM_CONSTANT,       /* const or constexpr with internal linkage */
  ITEM_TYPE,           /* class, struct, union, enum; explicit specialisations of classes too */
  ITEM_TEMPLATE,       /* declaration or definition of a primary or partially specialised template */
  ITEM_FUNCTION,       /* declaration, or a definition with internal linkage or inline */
  ITEM_SPECIALISATION, /* template<> R f<…>(…) {…} of a function template */
  ITEM_INSTANTIATION,  /* template R f<…>(…); of a function template */
  ITEM_EXTERNAL,       /* any other definition with external linkage, or one with effects when it is loaded */
  ITEM_UNKNOWN,
};

/* All indices are into cxx_scan.code, ends exclusive. */
struct cxx_item {
  enum cxx_item_kind kind;
  uint32_t begin, end;
  int scope;               /* index into scopes */
  int arm;                 /* index into arms; 0 is unconditional */
  uint32_t name, name_end; /* the declared name, qualified as written; equal if there is none or several */
  /* specialisations and instantiations only */
  uint32_t sig;             /* after template<>: specifiers and return type */
  uint32_t args, args_end;  /* <…> of the name; equal if they are deduced */
  uint32_t params, sig_end; /* "(" and the end of the declarator, before {, try or ; */
};

struct cxx_scope {
  int parent;              /* -1 for the global one, which is scopes[0] */
  uint32_t name, name_end; /* N or A::B; equal: unnamed */
  bool is_inline;
  bool internal; /* unnamed, or within an unnamed one */
};

/* One arm of an #if … #elif … #else … #endif. */
struct cxx_arm {
  int parent;       /* the arm that the whole conditional stands in */
  int before;       /* the arm before it in the same conditional, -1 for the first */
  uint32_t at, len; /* its directive, in the text */
};

struct cxx_scan {
  struct cxx_text code; /* without conditional directives and without arms that are always false */
  int *arm_of;          /* for each token of code */
  struct cxx_item *items;
  size_t nitems;
  struct cxx_scope *scopes;
  size_t nscopes;
  struct cxx_arm *arms;
  size_t narms;
  const char *odd; /* why the file as a whole was not understood; NULL if it was. Static. */
};

/* scan LEN bytes of TEXT, which must stay until cxx_scan_free */
void cxx_scan(struct cxx_scan *s, const char *text, size_t len);
void cxx_scan_free(struct cxx_scan *s);
enum cxx_verdict cxx_scan_verdict(const struct cxx_scan *s);

/* The name of the parameter that is declared by tokens BEGIN to END-1: its index, END if it has none or
 * if that is not clear (arrays, pointers to functions, default arguments). */
uint32_t cxx_param_name(const struct cxx_text *t, uint32_t begin, uint32_t end);

/* For tools that write code: the directives that lead from arm *OPEN to arm WANT (#endif, #if, #else …); sets
 * *OPEN. */
void cxx_arm_move(const struct cxx_scan *s, int *open, int want, struct buf *out);

#endif
