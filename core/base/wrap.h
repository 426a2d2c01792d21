/* wrap.h - paragraphs for a terminal of 80 columns, for help pages. */
#ifndef CKJIT_WRAP_H
#define CKJIT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Print TEXT in lines that start at column INDENT. COLUMN is the cursor's column: if it is not
 * INDENT, spaces or a newline come first. A '\n' in TEXT starts a new line. Ends with a newline. */
void print_wrapped(FILE *out, size_t column, size_t indent, const char *text);

#endif
