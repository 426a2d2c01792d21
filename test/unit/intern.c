/* intern.c - numbers for texts: in order of coming, the same for the same text, however many there are. */
// tier: check
#include "core/base/intern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  struct intern in = {0};
  int bad = intern(&in, "") != 0 || intern(&in, "a") != 1 || intern(&in, "") != 0 || in.texts.n != 2;
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < 5000; i++) {
      char *text = xasprintf("text %zu", i);
      bad |= intern(&in, text) != i + 2 || strcmp(in.texts.args[i + 2], text) != 0;
      free(text);
    }
  bad |= in.texts.n != 5002;
  intern_free(&in);
  if (bad)
    fprintf(stderr, "intern: a text has another number than it should\n");
  return bad;
}
