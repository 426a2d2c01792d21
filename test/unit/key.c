/* key.c - each part of a blob's key (core/cache/key.c) changes it, and so does a byte that moves from
 * one part to the next. */
// tier: check
#include "core/cache/key.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

int main(void) {
  static const char *const parts[][5] = {
      /* source, flags, headers, link, compiler */
      {"source", "-O3", "headers", "-lm", "hipcc"}, {"another", "-O3", "headers", "-lm", "hipcc"},
      {"source", "-O2", "headers", "-lm", "hipcc"}, {"source", "-O3", "edited", "-lm", "hipcc"},
      {"source", "-O3", "headers", "", "hipcc"},    {"source", "-O3", "headers", "-lm", "amdclang"},
      {"source", "-O3h", "eaders", "-lm", "hipcc"}, {"source", "-O3", "headers-", "lm", "hipcc"},
      {"source", "-O3", "headers", "-lmh", "ipcc"},
  };
  enum { N = sizeof parts / sizeof *parts };
  unsigned char keys[N][16], again[16];
  for (size_t i = 0; i < N; i++) {
    unsigned char digest[32] = {0};
    memcpy(digest, parts[i][0], strlen(parts[i][0]));
    key_blob(keys[i], digest, parts[i][1], parts[i][2], parts[i][3], parts[i][4]);
    key_blob(again, digest, parts[i][1], parts[i][2], parts[i][3], parts[i][4]);
    CHECK(memcmp(keys[i], again, sizeof again) == 0, "row %zu again", i);
    for (size_t k = 0; k < i; k++)
      CHECK(memcmp(keys[i], keys[k], sizeof keys[i]) != 0, "rows %zu and %zu", i, k);
  }
  return bad;
}
