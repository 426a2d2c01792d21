/* cxxscan.h - what a C++ translation unit defines, from its text alone.
 *
 * A blob, the unit that ckjit makes lazy, is recognised by its content: its external definitions
 * are explicit specialisations or explicit instantiations of function templates that another file
 * declares. No kernel family's names need to be known. The scan does not preprocess and does not
 * read headers: it splits the file into the declarations at namespace scope, each with its
 * namespaces and conditional directives. If it does not understand something, it says so
 * (ITEM_UNKNOWN, cxx_scan.odd), and the callers compile the file as it is.
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
#include "core/base/argv.h"
#include "core/base/reason.h"

/* The class of a translation unit, judged by its content alone. */
enum cxx_verdict {
  /* Has an external definition that is not an explicit specialisation or instantiation. */
  CXX_HOST,
  /* everything it defines externally is an explicit specialisation or instantiation of a template
   * that is declared elsewhere */
  CXX_BLOB,
  /* defines nothing external, or was not understood */
  CXX_UNSURE,
};

enum cxx_item_kind {
  ITEM_INCLUDE,
  ITEM_DEFINE, /* #define or #undef */
  /* any other directive that is not a conditional */
  ITEM_DIRECTIVE,
  /* using N = …; typedef … N; template <…> using N = …; */
  ITEM_ALIAS,
  /* using namespace N; using A::N; namespace N = A::B; */
  ITEM_USING,
  /* const or constexpr with internal linkage */
  ITEM_CONSTANT,
  /* with internal linkage, and nobody can tell when it is initialised (cxxstate.h) */
  ITEM_VARIABLE,
  /* class, struct, union, enum; explicit specialisations of classes too */
  ITEM_TYPE,
  /* declaration or definition of a primary or partially specialised template */
  ITEM_TEMPLATE,
  /* declaration, or a definition with internal linkage or inline */
  ITEM_FUNCTION,
  /* template<> R f<…>(…) {…} of a function template */
  ITEM_SPECIALISATION,
  /* template R f<…>(…); of a function template */
  ITEM_INSTANTIATION,
  /* definition of a plain function that has the name of its file (cxxunit.h) */
  ITEM_NAMESAKE,
  /* any other definition with external linkage, or one that runs code at load time */
  ITEM_EXTERNAL,
  ITEM_UNKNOWN,
};

/* All indices are into cxx_scan.code, ends exclusive. */
struct cxx_item {
  enum cxx_item_kind kind;
  /* why, of ITEM_EXTERNAL and ITEM_UNKNOWN; RULE_FOREIGN_KERNEL of a kernel's declaration; else
   * RULE_NONE */
  enum rule rule;
  /* of a variable, with RULE_VARIABLE: nothing runs for it when a library is loaded */
  bool quiet;
  uint32_t begin, end;
  int scope; /* index into scopes */
  /* index into arms; 0 is unconditional */
  int arm;
  /* the declared name with its qualifiers; equal if none or several */
  uint32_t name, name_end;
  /* specialisations, instantiations and namesakes only */
  /* after template<>: specifiers and return type */
  uint32_t sig;
  /* <…> of the name; equal if they are deduced */
  uint32_t args, args_end;
  /* "(", and the end of the declarator before {, try or ; */
  uint32_t params, sig_end;
};

struct cxx_scope {
  /* -1 for the global one, which is scopes[0] */
  int parent;
  uint32_t name, name_end; /* N or A::B; equal: unnamed */
  bool is_inline;
  bool internal; /* unnamed, or inside an unnamed one */
};

/* One arm of an #if … #elif … #else … #endif. */
struct cxx_arm {
  int parent; /* the arm around the conditional */
  /* the previous arm of the conditional, -1 for the first */
  int before;
  uint32_t at, len; /* its directive in the text */
};

struct cxx_scan {
  /* without conditional directives and arms that are always false */
  struct cxx_text code;
  int *arm_of; /* for each token of code */
  struct cxx_item *items;
  size_t nitems;
  struct cxx_scope *scopes;
  size_t nscopes;
  struct cxx_arm *arms;
  size_t narms;
  /* why the file was not understood as a whole; NULL if it was. Static. */
  const char *odd;
  uint32_t odd_line;           /* where that was seen */
  const struct argv *harmless; /* From the profile; NULL: none. */
};

/* Scan LEN bytes of TEXT, which must stay valid until cxx_scan_free. */
void cxx_scan(struct cxx_scan *s, const char *text, size_t len);
/* The same for a build whose profile names the types HARMLESS, as they are written, whose
 * constructors have no visible effects: borrowed until cxx_scan_free; NULL: none. */
void cxx_scan_with(struct cxx_scan *s, const char *text, size_t len, const struct argv *harmless);
void cxx_scan_free(struct cxx_scan *s);
/* The verdict, with its rule and place in *WHY unless that is NULL. */
enum cxx_verdict cxx_scan_verdict(const struct cxx_scan *s, struct reason *why);
/* Set the place in WHY to that of IT: its first line, and its text up to a body or initialiser. */
void cxx_scan_show(const struct cxx_scan *s, const struct cxx_item *it, struct reason *why);

/* The index of the name of the parameter declared by tokens BEGIN to END-1. END if it has none or
 * it is not clear (arrays, pointers to functions, default arguments). */
uint32_t cxx_param_name(const struct cxx_text *t, uint32_t begin, uint32_t end);

/* Is token I the name of an attribute whose function runs when it is loaded or unloaded? */
bool cxx_says_runs(const struct cxx_text *t, uint32_t i);

/* For tools that write code: append the directives that lead from arm *OPEN to arm WANT (#endif,
 * #if, #else …), and set *OPEN to WANT. */
void cxx_arm_move(const struct cxx_scan *s, int *open, int want, struct buf *out);

#endif
