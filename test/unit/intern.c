/* intern.c - numbers for texts: in order of coming, the same for the same text, however many there are. */
// tier: check
#include "core/base/intern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void check(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "intern: %s\n", what);
    bad = 1;
  }
}

/* bytes with a NUL in them, and one that is the other's beginning */
static void check_bytes(void) {
  struct intern in = {0};
  check(intern_bytes(&in, "a\0b", 3) == 0 && intern_bytes(&in, "a\0c", 3) == 1, "bytes behind a NUL count");
  check(intern(&in, "a") == 2 && intern_bytes(&in, "a\0b", 3) == 0, "lengths count");
  check(intern_bytes(&in, "", 0) == 3 && intern(&in, "") == 3, "no bytes are the empty text");
  intern_free(&in);
}

int main(void) {
  struct intern in = {0};
  check(intern_find(&in, "a") == SIZE_MAX, "nothing is in an empty set");
  check(intern(&in, "") == 0 && intern(&in, "a") == 1 && intern(&in, "") == 0 && in.texts.n == 2,
        "numbers go up from 0");
  check(!intern_new(&in, "a") && in.texts.n == 2, "what is there is not new");
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < 5000; i++) {
      char *text = xasprintf("text %zu", i);
      check(intern_new(&in, text) == !round && intern_find(&in, text) == i + 2 &&
                strcmp(in.texts.args[i + 2], text) == 0,
            "a text has another number than it should");
      free(text);
    }
  check(in.texts.n == 5002 && intern_find(&in, "text 5000") == SIZE_MAX, "no more than what was added");
  intern_free(&in);
  check_bytes();
  return bad;
}
