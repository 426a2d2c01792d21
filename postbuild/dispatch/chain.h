/* chain.h - chains of conditions: `if (…) {…} else if (…) {…} …`, nested in each other, or one behind the
 * other if each branch leaves the function.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_CHAIN_H
#define CKJIT_DISPATCH_CHAIN_H

#include "text.h"

struct chain;

struct branch {
  struct range cond;   /* empty: the last else */
  struct range body;   /* without its braces */
  struct chain *inner; /* if the body is a chain and nothing else; else NULL */
};

struct chain {
  uint32_t begin, end;
  struct branch *branches;
  size_t n;
  bool has_else;
  bool leaves; /* whichever branch is taken, the function is left */
  size_t rows; /* branches without an inner chain, here and in all inner ones, and one for each inner chain
                  without else: for when none of its conditions holds */
};

/* Read the chain whose `if` is token I, up to END; chain_free it. NULL if its form is not understood. */
struct chain *chain_read(const struct cxx_text *t, uint32_t i, uint32_t end);
void chain_free(struct chain *c);
/* Is token I an `if` that begins a statement of its own? */
bool chain_begins(const struct cxx_text *t, uint32_t i);

#endif
