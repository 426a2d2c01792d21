/* definitions.h - the functions that a unit defines for other units, with the names in its text.
 *
 * A link knows the mangled name of each function that is needed from a unit: another object leaves
 * it undefined. So a unit can be compiled as a whole when one of its functions is first called, and
 * its text only has to show to which unit a mangled name belongs:
 *
 *     namespace gsplat { void launch_adam(at::Tensor &p) {…} }     gsplat launch_adam
 *     void ops::run::start(int n) {…}                               ops run start
 *     template class ivf::index<float>;                             ivf index, with all its members
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DEFINITIONS_H
#define CKJIT_DEFINITIONS_H

#include "core/base/argv.h"
#include "cxxscan.h"

enum definition_kind {
  DEFINES_FUNCTION,
  /* the host stub of a kernel */
  DEFINES_KERNEL,
  /* all members of a class, by an explicit instantiation */
  DEFINES_CLASS,
  /* an operator or a conversion; its own name is not among the names */
  DEFINES_OPERATOR,
};

struct definition {
  enum definition_kind kind;
  /* Namespaces and classes from the outside in, then the name, as in the text. */
  struct argv names;
  uint32_t line, at; /* its first token */
  /* an instance or a specialisation */
  bool templated;
  /* it has C linkage; without, a header may give it that */
  bool c;
  /* how many parameters it has; -1: the text does not tell */
  int parameters;
  /* of a plain function: its parameters as they are written. NULL of others */
  char *head;
};

/* The name of D without what is around it. */
static inline const char *definition_last(const struct definition *d) {
  return d->names.args[d->names.n - 1];
}

/* Macros by their names: all, those whose bodies change what a declaration is, such as
 * `namespace a {` or `static`, those with visibility("default"), and those with __device__. Those
 * that stand for one other word are in ALIASES as well, as "NAME WORD"; what each stands for is in
 * BODIES, as "NAME define NAME(a, b) body". */
struct macros {
  struct argv all, odd, shown, device, aliases, bodies;
  /* one makes a function one that runs by itself */
  bool runs;
};
/* Add the macros that TEXT, LEN bytes, defines. */
void macros_add(struct macros *m, const char *text, size_t len);
/* Sort M, which then can be asked. */
void macros_settle(struct macros *m);
void macros_free(struct macros *m);
/* What WORD, a macro in capitals or not, stands for in the end, by the COUNT sets of macros M; it
 * belongs to WORD or M. */
const char *macros_meant(const struct macros *const *m, size_t count, const char *word);

struct definitions {
  struct definition *list;
  size_t n;
  /* words at namespace scope that a macro could replace: components of the names, and other words
   * before the names */
  struct argv names, heads;
  /* the macros that the text itself defines; their bodies are those of definitions_macros */
  struct macros macros;
  /* the variables that are constants by the text, and those that it declares to be external */
  struct argv constants, externs;
  /* of the device alone: plain functions, by the components of the name, "(" and the parameters as
   * they are written; variables, by their names */
  struct argv device;
  /* Something is not understood that the preprocessor's output shows: a macro, or a conditional. */
  bool doubt;
};

/* Reads the external definitions of S. Returns false if the unit has to be made with its library,
 * because of *WHY: it has a variable for other units, an initialiser with effects, assembler, or
 * something that is not understood. With D->doubt, the preprocessor's output may say otherwise. D
 * is freed with definitions_free in either case. */
bool definitions_read(struct definitions *d, const struct cxx_scan *s, struct reason *why);
void definitions_free(struct definitions *d);

/* The name of a variable in the device's memory that S defines for other units; NULL: there is
 * none. The caller owns it. */
char *definitions_device_variable(const struct cxx_scan *s);

/* May one of MACROS, which are settled, make the definitions of D others than the text says? */
bool definitions_in_doubt(const struct definitions *d, const struct macros *macros);
/* The first constant of D that D itself or the sorted EXTERNS declare to be external; NULL: there
 * is none. */
const char *definitions_extern(const struct definitions *d, const struct argv *externs);

/* The first of WORDS that is among SORTED (argv_unique); NULL: none. */
const char *words_among(const struct argv *sorted, const struct argv *words);

/* Append to NAMED the words that TEXT, LEN bytes, uses as a value, so that the address may be taken
 * if they are functions: `p == f`; with COMPARED, only those next to == or !=. Macros count. */
void definitions_named(struct argv *named, const char *text, size_t len, bool compared);

/* What a header adds to each unit that includes it: last names of … */
struct header_names {
  /* functions that it defines without a visible inline; a macro may contain it */
  struct argv functions;
  /* functions of which each unit has a copy */
  struct argv copied;
  /* variables that it declares */
  struct argv externs;
  /* what it uses as a value */
  struct argv named;
  /* those of visibility_marks */
  struct argv marked;
  /* the texts of declarations that are not understood: a macro may be one of their words */
  struct argv unclear;
  /* What would keep its units with the library is in an arm of an #if, or may be: the
   * preprocessor's output shows it. */
  bool doubt;
};
void header_names_free(struct header_names *h);

/* Reads what the header TEXT, LEN bytes, adds to each unit that includes it, and appends it to H.
 * EXPANDED: the preprocessor wrote it, so that nothing is unclear or in doubt. Returns true, with
 * *WHY, if it has a variable for other units, an initialiser with effects, assembler, or, expanded,
 * something that is not understood: such a unit has to be made with its library. */
bool definitions_in_header(struct header_names *h, const char *text, size_t len, bool expanded,
                           struct reason *why);

/* Returns how well D fits the function whose name has the components NAMES, without template
 * arguments and parameters: 0 not at all; 1 by the last name alone, because a macro may stand for a
 * namespace; 2 by all of them. */
unsigned definition_fits(const struct definition *d, const struct argv *names);

#endif
