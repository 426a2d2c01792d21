/* runtime_trust.c - what ckjit_path_check says of each path: "trusted", or why not; a line each, relative names below DIR.
 *
 *   runtime_trust DIR PATH…
 */
#include "abi/ck_jit_trust.h"

int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    struct ckjit_suspect s;
    char path[2 * PATH_MAX], text[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", *argv[i] == '/' ? "" : argv[1], *argv[i] == '/' ? "" : "/",
             argv[i]);
    const char *why = ckjit_path_check(path, &s);
    if (why && !ckjit_suspect_text(text, sizeof text, &s, why))
      return 1;
    size_t below = strlen(argv[1]);
    const char *name =
        why && strncmp(s.path, argv[1], below) == 0 && s.path[below] == '/' ? s.path + below + 1 : s.path;
    if (why)
      printf("%s: %s %s\n", argv[i], name, why);
    else
      printf("%s: trusted\n", argv[i]);
  }
  return 0;
}
