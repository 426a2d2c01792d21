/* cxxlex.h - C++ text as tokens: enough of the lexical grammar that the contents of comments,
 * strings, raw strings and directives are never taken for code. It does not preprocess: a directive
 * is one token, with its continuation lines.
 *
 * Thread safety: no shared state. Never reads outside TEXT, whatever its content.
 */
#ifndef CKJIT_CXXLEX_H
#define CKJIT_CXXLEX_H

#include "core/base/base.h"

#include <string.h>

enum cxx_kind {
  TOK_IDENT, /* identifiers and keywords */
  /* preprocessing numbers, digit separators included */
  TOK_NUMBER,
  /* with prefix, quotes and raw delimiters */
  TOK_STRING,
  TOK_CHAR,
  /* one character, or one of :: -> <= >= == != && || << (not >>, which may close two lists) */
  TOK_PUNCT,
  /* from # to the end of the logical line */
  TOK_DIRECTIVE,
  TOK_END, /* after the last one; length 0 */
};

struct cxx_tok {
  uint32_t at, len; /* bytes in the text */
  uint32_t line;    /* from 1 */
  uint16_t kind;    /* enum cxx_kind */
  /* 1 if white space or a comment precedes it */
  uint16_t space;
};

struct cxx_text {
  const char *text; /* borrowed */
  size_t len;
  struct cxx_tok *toks;
  uint32_t n; /* without TOK_END, which is toks[n] */
};

/* Split TEXT (below 4 GiB) into tokens. False if it is larger, if a comment or raw string does not
 * end, or if there is a line splice inside a word. Free with cxx_text_free either way. A quote that
 * is not closed on its line is punctuation: it may stand in text that #if leaves out, and nowhere
 * else (cxx_arms_split). */
bool cxx_lex(struct cxx_text *t, const char *text, size_t len);
void cxx_text_free(struct cxx_text *t);

/* Is token I exactly the N bytes S? */
static inline bool cxx_is_n(const struct cxx_text *t, uint32_t i, const char *s, size_t n) {
  return i < t->n && t->toks[i].len == n && memcmp(t->text + t->toks[i].at, s, n) == 0;
}
/* Is token I exactly S? Inline, so that strlen() of a literal is a constant. */
static inline bool cxx_is(const struct cxx_text *t, uint32_t i, const char *s) {
  return cxx_is_n(t, i, s, strlen(s));
}
/* Is token I an identifier or a keyword? */
static inline bool cxx_ident(const struct cxx_text *t, uint32_t i) {
  return i < t->n && t->toks[i].kind == TOK_IDENT;
}
/* The character of token I if it is punctuation of one character, else 0. */
static inline char cxx_punct(const struct cxx_text *t, uint32_t i) {
  return i < t->n && t->toks[i].kind == TOK_PUNCT && t->toks[i].len == 1 ? t->text[t->toks[i].at]
                                                                         : 0;
}
/* The text of token I; free() it. */
static inline char *cxx_spelling(const struct cxx_text *t, uint32_t i) {
  return xstrndup(t->text + t->toks[i].at, t->toks[i].len);
}
/* Append tokens BEGIN to END-1 to OUT, with single spaces for the source's white space. */
void cxx_render(const struct cxx_text *t, uint32_t begin, uint32_t end, struct buf *out);
/* The index after the bracket that closes the (, [ or { at I; END if it does not close before
 * END. */
uint32_t cxx_skip_group(const struct cxx_text *t, uint32_t i, uint32_t end);
/* The index after the > that closes the < at I, skipping nested groups; 0 if it does not close
 * before END. */
uint32_t cxx_skip_angles(const struct cxx_text *t, uint32_t i, uint32_t end);

#endif
