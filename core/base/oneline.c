#include "oneline.h"

void oneline_put(struct buf *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\n' || *text == '\\')
      buf_putc(out, '\\');
    buf_putc(out, *text == '\n' ? 'n' : *text);
  }
}

char *oneline_read(const char *line, size_t n) {
  char *text = xmalloc(n + 1), *to = text;
  for (size_t i = 0; i < n; i++) {
    bool escaped = line[i] == '\\' && i + 1 < n;
    i += escaped;
    *to++ = escaped && line[i] == 'n' ? '\n' : line[i];
  }
  *to = 0;
  return text;
}
