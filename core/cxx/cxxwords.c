#include "cxxwords.h"

#include <stdbool.h>

/* A table, because strspn() builds one for each word, which took a fifth of the relink of 7,824
 * blobs. */
static const bool letters[256] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['_'] = true};

struct cxx_word cxx_word(const char *p) {
  while (*p && !letters[(unsigned char)*p])
    p++;
  const char *end = p;
  while (letters[(unsigned char)*end])
    end++;
  return (struct cxx_word){p, (size_t)(end - p)};
}
