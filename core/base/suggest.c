#include "suggest.h"
#include "base.h"

#include <ctype.h>

enum { LONGEST = 255 }; /* of the compared words; CK's stems have 100 characters */

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static int lower(char c) {
  return tolower((unsigned char)c);
}

/* The number of insertions, deletions, substitutions and transpositions that turn A into B,
 * ignoring case. */
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
  size_t row[3][LONGEST + 1], *two = row[0], *one = row[1], *now = row[2];
  for (size_t k = 0; k <= m; k++)
    one[k] = k;
  for (size_t i = 1; i <= n; i++) {
    now[0] = i;
    for (size_t k = 1; k <= m; k++) {
      now[k] =
          least(least(one[k], now[k - 1]) + 1, one[k - 1] + (lower(a[i - 1]) != lower(b[k - 1])));
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        now[k] = least(now[k], two[k - 2] + 1);
    }
    size_t *oldest = two;
    two = one;
    one = now;
    now = oldest;
  }
  return one[m];
}

/* How many mistakes are plausible in words of N and M letters, by gcc's rule: a third of the longer
 * one, and a little more if letters are missing. Dashes of options do not count. */
static size_t allowed(size_t n, size_t m) {
  size_t longer = n > m ? n : m, apart = longer - least(n, m);
  if (longer <= 1)
    return 0;
  return apart > 1 ? (longer + 2) / 3 : longer < 3 ? 1 : longer / 3;
}

const char *suggest(const char *text, const char *const *names) {
  size_t n = strlen(text), best = LONGEST + 1;
  const char *found = NULL;
  for (; *names && n && n <= LONGEST; names++) {
    size_t m = strlen(*names);
    if (m > LONGEST || (n > m ? n - m : m - n) >= best)
      continue;
    size_t dashes = str_starts(text, "--") && str_starts(*names, "--") ? 2 : 0;
    size_t d = distance(text, n, *names, m);
    if (d < best && d <= allowed(n - dashes, m - dashes)) {
      best = d;
      found = *names;
    }
  }
  return found;
}

char *one_of(const char *const *names) {
  struct buf list = {0};
  for (size_t i = 0; names[i]; i++)
    buf_printf(&list, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
  return list.data;
}

char *did_you_mean(const char *text, const char *const *names) {
  const char *name = suggest(text, names);
  return name ? xasprintf("; did you mean '%s'?", name) : xstrdup("");
}
