/* generate.h - sources from a template, one for each combination of a matrix.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_GENERATE_H
#define CKJIT_PREBUILD_GENERATE_H

#include "prebuild.h"
#include "subst.h"

/* Write what --template, --output-dir, --output and --name-format ask for. */
void matrix_generate(struct request *r, const struct matrix *m);

#endif
