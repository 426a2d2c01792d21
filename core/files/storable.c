/* storable.c - see storable.h. It is a separate file because the wrapper calls it at each start and
 * is linked without JSON. */
#include "storable.h"
#include "abi/ck_jit_utf8.h"

#include <string.h>

bool word_is_storable(const char *word) {
  size_t n = strlen(word), c = 1;
  for (const char *at = word; *at && c; at += c)
    c = ckjit_utf8(at, n - (size_t)(at - word));
  return c && !strstr(word, STATE_JIT);
}
