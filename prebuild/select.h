/* select.h - blobs selected by a matrix of kernel variants and the format of their names.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_PREBUILD_SELECT_H
#define CKJIT_PREBUILD_SELECT_H

#include "prebuild.h"
#include "subst.h"

/* FILE read, its warnings printed */
struct matrix *matrix_open(const char *file);
/* bind S to M; die where M has not got one of its variables. HAS_LINES: the message says where in S. */
void matrix_bind(struct subst *s, const struct matrix *m, bool has_lines);
/* warn of variables that neither A nor B uses; each may be NULL */
void matrix_warn_unused(const struct matrix *m, const struct subst *a, const struct subst *b);
/* what a message calls a combination; free() it */
char *matrix_describe(const struct combination *c, const struct matrix *m);
/* Add to blobs those that --matrix and --name-format mean and that WANTED, by number of the manifest, does
 * not yet say. False if a combination means none, after naming each that does not. */
bool matrix_select(struct request *r, bool *wanted);

#endif
