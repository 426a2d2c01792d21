/* subst.h - text with @variable@ in it, as CMake's configure_file(… @ONLY) and string(CONFIGURE … @ONLY) take
 * it.
 *
 * Between two @ stand one or more letters, digits and / _ . + -; any other @ is itself, ${…} is text, and
 * what was put in is not looked at again. In a template, a file, lines of these forms are known as well, and
 * each line ends with a newline (a carriage return before it is dropped), as it does there:
 *
 *     #cmakedefine NAME …     "#define NAME …" if NAME is true, else a comment
 *     #cmakedefine01 NAME     "#define NAME 1" or 0
 *
 * False are nothing, 0, OFF, NO, N, FALSE and IGNORE in any case of letters, NOTFOUND and what ends with
 * -NOTFOUND. Other than there, a variable that does not exist is not the empty text: subst_unknown finds it.
 * Thread safety: no shared state; a struct subst is not changed by rendering it.
 */
#ifndef CKJIT_SUBST_H
#define CKJIT_SUBST_H

#include "matrix.h"

enum subst_kind {
  SUBST_TEXT,
  SUBST_VARIABLE,
  SUBST_IF,   /* the next `span` pieces if the variable is true, else this one's text */
  SUBST_BOOL, /* 1 or 0 */
};

struct subst_piece {
  enum subst_kind kind;
  char *text;            /* TEXT and IF: what is written; VARIABLE and BOOL: nothing */
  size_t len;            /* bytes of text */
  size_t span;           /* IF: how many pieces it governs */
  size_t name;           /* number of the variable's name in `names`; not TEXT */
  unsigned line, column; /* from 1, of the @ or #, in bytes */
};

struct subst {
  char *file; /* as errors name it */
  struct subst_piece *pieces;
  size_t n;
  struct intern names; /* of variables, as they first appear */
  size_t *bound;       /* for each name, the matrix's number of it, or SIZE_MAX; set by subst_bind */
};

/* a short text, such as a name format; FILE is what errors call it */
struct subst *subst_text(const char *file, const char *text);
/* N bytes of a template called FILE */
struct subst *subst_template(const char *file, const char *text, size_t n);
void subst_free(struct subst *s);

/* Say whose variables are meant. False if one is M's nowhere, in no combination: *UNKNOWN is set to a
 * piece with it, the first. A name that only #cmakedefine asks about counts, too: it would be false
 * everywhere. */
bool subst_bind(struct subst *s, const struct matrix *m, const struct subst_piece **unknown);
/* The first piece whose variable combination C has not; NULL if it has all. #cmakedefine is the question
 * whether it has one, and so is no such piece. */
const struct subst_piece *subst_missing(const struct subst *s, const struct combination *c);
/* append the text for combination C, of which nothing is missing */
void subst_render(struct buf *out, const struct subst *s, const struct combination *c);

#endif
