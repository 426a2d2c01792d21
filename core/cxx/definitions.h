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

#include "macros.h"

#include "cxxscan.h"

enum definition_kind {
  DEFINES_FUNCTION,
  /* the host stub of a kernel */
  DEFINES_KERNEL,
  /* all members of a class, by an explicit instantiation */
  DEFINES_CLASS,
  /* an operator or a conversion; its own name is not among the names */
  DEFINES_OPERATOR,
  /* a variable for which nothing runs when a library is loaded */
  DEFINES_VARIABLE,
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

/* Append to EXTERNS the variable that IT, of S, declares to be external, if it does. */
void definitions_add_extern(struct argv *externs, const struct cxx_scan *s,
                            const struct cxx_item *it);

/* Returns how well D fits the function whose name has the components NAMES, without template
 * arguments and parameters: 0 not at all; 1 by the last name alone, because a macro may stand for a
 * namespace; 2 by all of them. */
unsigned definition_fits(const struct definition *d, const struct argv *names);
/* Does D have a member of the class that NAMES ends with, or something in a namespace of that
 * name? */
bool definitions_member(const struct definitions *d, const struct argv *names);

#endif
