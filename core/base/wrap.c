#include "wrap.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 80 };

/* The columns of N bytes of UTF-8, if no character is wide. */
static size_t columns(const char *s, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    count += ((unsigned char)s[i] & 0xc0) != 0x80;
  return count;
}

static void start_line(FILE *out, size_t indent) {
  fprintf(out, "\n%*s", (int)indent, "");
}

void print_wrapped(FILE *out, size_t column, size_t indent, const char *text) {
  if (column > indent)
    start_line(out, indent);
  else
    fprintf(out, "%*s", (int)(indent - column), "");
  column = indent;
  while (*text) {
    size_t n = strcspn(text, " \n"), wide = columns(text, n);
    if (column > indent && column + 1 + wide > WIDTH) {
      start_line(out, indent);
      column = indent;
    }
    bool first = column == indent;
    fprintf(out, "%s%.*s", first ? "" : " ", (int)n, text);
    column += wide + !first;
    text += n;
    if (*text == '\n') {
      start_line(out, indent);
      column = indent;
    }
    text += *text != 0;
  }
  fputc('\n', out);
}
