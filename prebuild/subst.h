/* subst.h - text with @variable@ references, substituted as by CMake's configure_file(… @ONLY) and
 * string(CONFIGURE … @ONLY).
 *
 * A reference is one or more letters, digits and / _ . + - between two @. Any other @ is literal,
 * ${…} is literal, and substituted text is not scanned again. A template, which is a file, also has
 * lines of these forms. As in CMake, each line ends with a newline, and a carriage return before it
 * is dropped:
 *
 *     #cmakedefine NAME …     "#define NAME …" if NAME is true, else a comment
 *     #cmakedefine01 NAME     "#define NAME 1" or 0
 *
 * These are false: the empty text, 0, OFF, NO, N, FALSE and IGNORE in upper or lower case,
 * NOTFOUND, and texts that end with -NOTFOUND. Unlike in CMake, a variable that does not exist is
 * an error and not the empty text; see subst_bind and subst_missing. Thread safety: no shared
 * state; rendering a struct subst does not change it.
 */
#ifndef CKJIT_SUBST_H
#define CKJIT_SUBST_H

#include "matrix.h"

enum subst_kind {
  SUBST_TEXT,
  SUBST_VARIABLE,
  /* the next `span` pieces if the variable is true, else its own text */
  SUBST_IF,
  SUBST_BOOL, /* 1 or 0 */
};

struct subst_piece {
  enum subst_kind kind;
  /* TEXT and IF: the output; VARIABLE and BOOL: nothing */
  char *text;
  size_t len;  /* bytes of text */
  size_t span; /* IF: how many pieces it governs */
  /* number of the variable's name in `names`; not for TEXT */
  size_t name;
  /* of the @ or #, from 1; columns in bytes */
  unsigned line, column;
};

struct subst {
  char *file; /* its name in messages */
  struct subst_piece *pieces;
  size_t n;
  /* of variables, in the order of their first appearance */
  struct intern names;
  /* for each name its number in the matrix, or SIZE_MAX; set by subst_bind */
  size_t *bound;
};

/* Parse a short text such as a name format; FILE is its name in messages. */
struct subst *subst_text(const char *file, const char *text);
/* Parse N bytes of a template called FILE. */
struct subst *subst_template(const char *file, const char *text, size_t n);
void subst_free(struct subst *s);

/* Resolve the variables to those of M. False if one exists in no combination of M: *UNKNOWN is the
 * first piece with such a variable. A name that only #cmakedefine tests counts as well: it would be
 * false everywhere. */
bool subst_bind(struct subst *s, const struct matrix *m, const struct subst_piece **unknown);
/* The first piece whose variable is missing in combination C; NULL if there is none. A #cmakedefine
 * tests whether the variable exists, so it is never such a piece. */
const struct subst_piece *subst_missing(const struct subst *s, const struct combination *c);
/* Append the text for combination C, in which nothing is missing. */
void subst_render(struct buf *out, const struct subst *s, const struct combination *c);

#endif
