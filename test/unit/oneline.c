/* oneline.c - a text comes out of its line as it was put in. */
// tier: check
#include "core/base/oneline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check(const char *text, const char *line) {
  struct buf b = {0};
  buf_puts(&b, "");
  oneline_put(&b, text);
  char *back = oneline_read(b.data, b.len);
  int bad = strcmp(b.data, line) != 0 || strcmp(back, text) != 0;
  if (bad)
    fprintf(stderr, "oneline: '%s' became '%s', and that '%s'\n", text, b.data, back);
  free(back);
  buf_free(&b);
  return bad;
}

int main(void) {
  int bad = check("", "") | check("plain", "plain") | check("a\nb\\n", "a\\nb\\\\n") | check("\\", "\\\\") |
            check("\n\n", "\\n\\n");
  char *torn = oneline_read("ab\\", 3); /* what a line that was cut off holds */
  bad |= strcmp(torn, "ab\\") != 0;
  free(torn);
  return bad;
}
