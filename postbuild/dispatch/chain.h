/* chain.h - chains of conditions: `if (…) {…} else if (…) {…} …`, nested in each other, or one
 * after the other if each branch leaves the function.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_CHAIN_H
#define CKJIT_DISPATCH_CHAIN_H

#include "text.h"

struct chain;

struct branch {
  struct range cond; /* empty: the last else */
  struct range body; /* without its braces */
  /* if the body is a chain and nothing else; else NULL */
  struct chain *inner;
};

struct chain {
  uint32_t begin, end;
  struct branch *branches;
  size_t n;
  bool has_else;
  /* whichever branch is taken, the function is left */
  bool leaves;
  /* branches without an inner chain, here and in all inner ones, and one for each inner chain
   * without else: for when none of its conditions holds */
  size_t rows;
};

/* Read the chain whose `if` is token I, up to END; chain_free it. NULL if its form is not
 * understood. */
struct chain *chain_read(const struct cxx_text *t, uint32_t i, uint32_t end);
void chain_free(struct chain *c);
/* Does the `if` at token I begin a statement? */
bool chain_begins(const struct cxx_text *t, uint32_t i);

#endif
