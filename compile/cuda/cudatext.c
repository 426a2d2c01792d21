#include "cudatext.h"
#include "core/cxx/devicetext.h"

#include <ctype.h>
#include <string.h>

/* the length of a temporary name at S, or 0 */
static size_t temporary_name(const char *s) {
  static const char start[] = "__T";
  size_t n = sizeof start - 1;
  if (strncmp(s, start, n) != 0 || !isdigit((unsigned char)s[n]))
    return 0;
  while (isdigit((unsigned char)s[n]))
    n++;
  return n;
}

/* the length of a line at S that names the stub's own file, or 0 */
static size_t marker_line(const char *s) {
  size_t n = strcspn(s, "\n");
  return devicetext_is_marker(s, n) ? n : 0;
}

/* Step over what A and B may differ in. False: only one of them has it. */
static bool skip(const char **a, const char **b, size_t (*length)(const char *)) {
  size_t n = length(*a), m = length(*b);
  *a += n;
  *b += m;
  return !n == !m;
}

bool cudatext_same_stub(const char *a, const char *b) {
  for (bool line_start = true; *a || *b; a++, b++) {
    if ((line_start && !skip(&a, &b, marker_line)) || !skip(&a, &b, temporary_name) || *a != *b)
      return false;
    line_start = *a == '\n';
    if (!*a)
      break;
  }
  return true;
}
