/* cxxarms.h - conditional directives: out of the tokens of a file. For cxxscan.c; cxxscan.h has the way back.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CXXARMS_H
#define CKJIT_CXXARMS_H

#include "cxxscan.h"

/* Take the conditional directives, and the arms of `#if 0` with what is in them, out of S->code, and fill in
 * S->arms and S->arm_of. S->odd says why that does not work. */
void cxx_arms_split(struct cxx_scan *s);

/* The word after the # of directive K, N bytes of the text: "if", "include" … */
const char *cxx_directive(const struct cxx_text *t, const struct cxx_tok *k, size_t *n);
/* Are the N bytes at W the word S? */
static inline bool cxx_word_is(const char *w, size_t n, const char *s) {
  return strlen(s) == n && memcmp(w, s, n) == 0;
}

#endif
