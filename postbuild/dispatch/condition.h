/* condition.h - the conditions of a chain as atoms: the terms of their && lists, each distinct one
 * once, and only where it is sure that evaluating one early, once or not at all makes no difference.
 *
 * From the text alone an atom is taken to be an expression of variables, members, constants and operators
 * without effects. What the text cannot tell (is `t.x` a scalar or an object with operators of its own, is a
 * name a macro?) becomes a check that the compiler makes: it refuses the rewritten dispatcher, and ckjit-link
 * takes the next plainer form.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_CONDITION_H
#define CKJIT_DISPATCH_CONDITION_H

#include "core/base/intern.h"
#include "text.h"

struct atom {
  const char *text;  /* borrowed from names */
  bool guarded;      /* not before the terms that stand before it are known to hold: p->x, a / b, a call */
  uint16_t variable; /* what it asks about */
  uint64_t allowed;  /* the answers with which it holds: bit I for test I of the variable */
};

/* E in `E == 1`, `E == 2`, `E != 1`; for other atoms, or with a ! before it, the whole text. Its tests cannot
 * hold together. */
enum { ATOM_OTHER = 63 }; /* the bit of the answer that no test holds */
struct atom_variable {
  struct argv tests, constants; /* constants: empty, or one for each test */
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
  struct intern scalars;  /* expressions of scalar types, not volatile */
  struct intern strings;  /* expressions of type std::string or std::string_view */
  struct intern pointers; /* expressions of pointer types */
  struct intern types;    /* scalar types */
  struct intern words;    /* names that are no macros, but for constant ones */
};

/* Append the numbers of the atoms of the condition R to *LIST (*N of them, grown as needed). False where it
 * is not of the form above: then the chain must stay. */
bool atoms_read(struct atoms *a, struct range r, uint16_t **list, size_t *n);
void atoms_free(struct atoms *a);

#endif
