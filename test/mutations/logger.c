/* logger.c - in place of the real compiler: writes its words to the file `words` beside it, each ended by
 * NUL, and ends with 0. What passes through the wrapper must be there as it was given, so nothing need be
 * compiled to know it. Only where the wrapper asks whether the compiler takes some options it becomes the
 * program `real` beside it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char beside[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", beside, sizeof beside - 8);
  if (argc < 1 || n < 0)
    return 1;
  beside[n] = 0;
  char *name = strrchr(beside, '/') + 1;
  for (char **a = argv; *a; a++) {
    if (strstr(*a, "/.options/")) {
      strcpy(name, "real");
      char *real =
          realpath(beside, NULL); /* Debian's hipcc looks for its parts beside the name it was started by */
      return real ? execv(real, argv) : 1;
    }
  }
  strcpy(name, "words");
  FILE *out = fopen(beside, "w");
  for (char **a = argv + 1; out && *a; a++)
    fwrite(*a, 1, strlen(*a) + 1, out);
  return !out || fclose(out);
}
