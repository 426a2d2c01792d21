/* text.h - questions about the tokens of a dispatcher, and writing them with other text in some
 * places. For the files of this directory only.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_TEXT_H
#define CKJIT_DISPATCH_TEXT_H

#include "core/base/argv.h"
#include "core/cxx/cxxscan.h"

/* tokens BEGIN to END-1 */
struct range {
  uint32_t begin, end;
};

static inline bool punct(const struct cxx_text *t, uint32_t i, char c) {
  return cxx_punct(t, i) == c;
}

static inline bool ident(const struct cxx_text *t, uint32_t i) {
  return i < t->n && t->toks[i].kind == TOK_IDENT;
}

/* are tokens I and K the same text? */
static inline bool same_tok(const struct cxx_text *t, uint32_t i, uint32_t k) {
  return t->toks[i].len == t->toks[k].len &&
         memcmp(t->text + t->toks[i].at, t->text + t->toks[k].at, t->toks[i].len) == 0;
}

/* is token I one of the N words? */
bool text_word(const struct cxx_text *t, uint32_t i, const char *const *words, size_t n);
#define TEXT_WORD(t, i, words) text_word(t, i, words, sizeof words / sizeof *words)

/* Is R free of directives, and all of it in one arm of the conditionals around it? */
bool text_plain(const struct cxx_scan *s, struct range r);
/* do A and B have the same tokens, white space aside? */
bool text_same(const struct cxx_text *t, struct range a, struct range b);
/* append token I as it stands */
void text_put(const struct cxx_text *t, uint32_t i, struct buf *out);
/* might tokens I and I + 1 be read as something else without white space? */
bool text_joins(const struct cxx_text *t, uint32_t i);
/* append tokens BEGIN to END-1 in one spelling: a space only where two words would become one */
void text_canonical(const struct cxx_text *t, uint32_t begin, uint32_t end, struct buf *out);

/* the same as a string; free() it */
char *text_copy(const struct cxx_text *t, uint32_t begin, uint32_t end);
/* is token I == or !=? */
bool text_equality(const struct cxx_text *t, uint32_t i);

/* Tokens to be replaced by TEXT. NAMES are the local variables in it: a lambda around it must
 * capture them. */
struct hole {
  uint32_t begin, end;
  char *text;
  struct argv names;
};

/* Append tokens of R to OUT with HOLES (in order, not overlapping) filled. Lambdas capture what
 * their holes name by value: a reference could outlive what it refers to. */
void text_fill(const struct cxx_text *t, struct range r, const struct hole *holes, size_t n, struct buf *out);
void holes_free(struct hole *holes, size_t n);

/* is token I the [ of a lambda? */
bool text_lambda(const struct cxx_text *t, uint32_t i);
/* Is token I the name of a variable that is declared here with an initialiser, or of a function?
 * Only these can stand in template arguments. It may say yes in error, not no. */
bool text_declares(const struct cxx_text *t, uint32_t i);

/* Does the & before token I take an address? If a pointer is written in place of I, the & must
 * go. */
bool text_takes_address(const struct cxx_text *t, uint32_t i);

#endif
