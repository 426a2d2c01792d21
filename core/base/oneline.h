/* oneline.h - any text as one line of a file: a newline in it is "\n", a backslash "\\". Thread-safe. */
#ifndef CKJIT_ONELINE_H
#define CKJIT_ONELINE_H

#include "base.h"

/* append TEXT to OUT as it stands in a line */
void oneline_put(struct buf *out, const char *text);
/* the text that the N bytes of a line stand for; free() it */
char *oneline_read(const char *line, size_t n);

#endif
