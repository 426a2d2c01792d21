/* decompress.c - LZ4 blocks: literals and matches that overlap; a block that is cut off, refers to what is before its start, or has another
 * length than it should gives nothing. */
// tier: check
#include "core/device/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void expect(const char *what, const char *block, size_t size, const char *want, size_t len) {
  char *bytes = malloc(size), *got = NULL;
  memcpy(bytes, block, size);
  got = decompress_lz4(bytes, size, len);
  if (want ? !got || memcmp(got, want, len) != 0 : got != NULL) {
    fprintf(stderr, "%s: %s\n", what, got ? "other bytes" : "nothing");
    bad = 1;
  }
  free(got);
  free(bytes);
}

#define BLOCK(what, block, want, len) expect(what, block, sizeof block - 1, want, len)

int main(void) {
  static char run[300], long_block[3 + 280];
  memset(run, 'x', sizeof run);
  BLOCK("literals", "\x50hello", "hello", 5);
  BLOCK("a match that overlaps", "\x26\x61\x62\x02\x00\x50hello",
        "abababababab"
        "hello",
        17);
  BLOCK("a long match", "\x1fx\x01\x00\xff\x0a\x10x", run, 1 + 15 + 255 + 10 + 4 + 1);
  memcpy(long_block, "\xf0\xff\x0a", 3);
  memset(long_block + 3, 'x', 280);
  expect("many literals", long_block, 3 + 280, run, 280);
  BLOCK("a literal is missing", "\x50hell", NULL, 5);
  BLOCK("before the start", "\x16\x61\x02\x00\x10x", NULL, 12);
  BLOCK("no distance", "\x16\x61\x01", NULL, 12);
  BLOCK("distance 0", "\x16\x61\x00\x00\x10x", NULL, 12);
  BLOCK("too long", "\x50hello", NULL, 4);
  BLOCK("too short", "\x50hello", NULL, 6);
  BLOCK("a match beyond the end", "\x1f\x61\x01\x00\x20\x10x", NULL, 12);
  BLOCK("a length without an end", "\xf0\xff", NULL, 300);
  BLOCK("nothing", "", NULL, 0);
  return bad;
}
