/* cxxarms.h - removes conditional directives from the tokens of a file. For cxxscan.c; the reverse
 * is in cxxscan.h.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CXXARMS_H
#define CKJIT_CXXARMS_H

#include "cxxscan.h"

/* Remove from S->code the conditional directives, and the arms of `#if 0` with their contents; fill
 * in S->arms and S->arm_of. S->odd says why if that does not work. */
void cxx_arms_split(struct cxx_scan *s);

/* The name of directive K, N bytes of the text: "if", "include" … */
const char *cxx_directive(const struct cxx_text *t, const struct cxx_tok *k, size_t *n);
/* Are the N bytes at W the word S? */
static inline bool cxx_word_is(const char *w, size_t n, const char *s) {
  return strlen(s) == n && memcmp(w, s, n) == 0;
}

#endif
