#include "takes.h"

#include <strings.h>

static bool has(const char *p, const char *end, const char *word) {
  size_t n = strlen(word);
  return (size_t)(end - p) >= n && strncasecmp(p, word, n) == 0;
}

/* P is at a dot. `x.include (y)` is C++, `.include \"x\"` an assembler's. */
static const char *directive(const char *p, const char *end) {
  if (has(p, end, ".incbin"))
    return ".incbin";
  if (!has(p, end, ".include"))
    return NULL;
  p += strlen(".include");
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  if (p < end && *p == '\\')
    p++;
  return p < end && *p == '"' ? ".include" : NULL;
}

const char *takes_file(const char *text, size_t n) {
  const char *end = text + n, *what = NULL;
  for (const char *p = text; !what && p < end && (p = memchr(p, '.', (size_t)(end - p))); p++)
    what = directive(p, end);
  return !what && memmem(text, n, "__has_embed", strlen("__has_embed")) ? "__has_embed" : what;
}
