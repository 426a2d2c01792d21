/* oneline.h - encodes any text as one line of a file: a newline becomes "\n", a backslash "\\".
 * Thread-safe. */
#ifndef CKJIT_ONELINE_H
#define CKJIT_ONELINE_H

#include "base.h"

/* Append TEXT to OUT, encoded. */
void oneline_put(struct buf *out, const char *text);
/* Decode the N bytes of a line; free() the result. */
char *oneline_read(const char *line, size_t n);

#endif
