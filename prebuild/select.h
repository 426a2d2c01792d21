/* select.h - blobs selected by a matrix of kernel variants and the format of their names.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_SELECT_H
#define CKJIT_PREBUILD_SELECT_H

#include "prebuild.h"
#include "subst.h"

/* Read FILE and print its warnings. */
struct matrix *matrix_open(const char *file);
/* Bind S to M; die if M lacks one of its variables. HAS_LINES: the message gives the line in S. */
void matrix_bind(struct subst *s, const struct matrix *m, bool has_lines);
/* Warn of variables that neither A nor B uses; each may be NULL. */
void matrix_warn_unused(const struct matrix *m, const struct subst *a, const struct subst *b);
/* A combination's name in messages; free() it. */
char *matrix_describe(const struct combination *c, const struct matrix *m);
/* Append to blobs those that --matrix and --name-format select and WANTED, indexed by manifest
 * number, does not contain yet. False if a combination matches no blob; each such combination is
 * reported. */
bool matrix_select(struct request *r, bool *wanted);

#endif
