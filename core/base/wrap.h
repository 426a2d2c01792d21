/* wrap.h - paragraphs for a terminal of 80 columns: help pages. */
#ifndef CKJIT_WRAP_H
#define CKJIT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Print TEXT in lines that start at column INDENT. COLUMN is where the cursor is: spaces, or a new line,
 * come first if that is not INDENT. A '\n' in TEXT starts a line. Ends with one. */
void print_wrapped(FILE *out, size_t column, size_t indent, const char *text);

#endif
