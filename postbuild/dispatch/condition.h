/* condition.h - the conditions of a chain as atoms: the terms of their && lists, each distinct one
 * once.
 *
 * A table evaluates an atom early, once, or not at all, so an atom must be an expression for which
 * that makes no difference: variables, members, constants, and operators without effects. That is
 * read from the text. Questions that the text cannot answer (is `t.x` a scalar, or an object with
 * overloaded operators? is a name a macro?) are recorded, and each becomes a check in the rewritten
 * text: if the compiler refuses it, ckjit-link takes the next plainer form.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_CONDITION_H
#define CKJIT_DISPATCH_CONDITION_H

#include "core/base/intern.h"
#include "text.h"

struct atom {
  const char *text; /* borrowed from names */
  /* evaluated only once the terms before it are known to hold: p->x, a / b, a call */
  bool guarded;
  /* what it asks about: an index into atoms.variables */
  uint16_t variable;
  /* the answers for which it holds: bit I for test I of the variable, or ATOM_OTHER */
  uint64_t allowed;
};

enum { ATOM_OTHER = 63 }; /* the bit of the answer that no test holds */

/* The variable of atoms: E of `E == 1`, `E == 2`, `E != 1`, with a test for each constant; for an
 * atom of another form its whole text except a ! around it, with one test. No two tests of a
 * variable hold together. */
struct atom_variable {
  /* constants: empty, or one for each test */
  struct argv tests, constants;
};

/* The atoms of one chain. Start with {.s = the dispatcher}. */
struct atoms {
  const struct cxx_scan *s;
  struct atom *all;
  size_t n;
  struct intern names;
  struct atom_variable *variables;
  size_t nvariables;
  struct intern variable_names;
  /* to be checked by the compiler */
  /* expressions of scalar types, not volatile */
  struct intern scalars;
  /* expressions of type std::string or std::string_view */
  struct intern strings;
  struct intern pointers; /* expressions of pointer types */
  struct intern types;    /* scalar types */
  /* names that must not be macros, except of constants */
  struct intern words;
};

/* Append the numbers of the atoms of the condition R to *LIST, an array of *N (core/base/vec.h).
 * False if one is not of the form above: then the chain must stay. */
bool atoms_read(struct atoms *a, struct range r, uint16_t **list, size_t *n);
void atoms_free(struct atoms *a);

#endif
