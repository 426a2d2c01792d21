/* cc1.c - see cc1.h.
 *
 * With -disable-llvm-passes clang writes the bitcode that it would otherwise optimise, device
 * libraries included; so what follows does not link them again. With clang 15 and 22 the objects
 * are byte for byte those of the single command.
 */
#include "cc1.h"
#include "cicc.h"

#define LIBRARY "-mlink-builtin-bitcode"

bool cc1_divide(const struct argv *pass, const char *text, const char *bitcode, const char *without,
                struct argv *front, struct argv *back) {
  size_t n = pass->n;
  bool object = false, output = false;
  if (n < 5 || strcmp(pass->args[n - 3], "-x") != 0 || strcmp(pass->args[n - 2], "hip") != 0)
    return false;
  for (size_t i = 0; i < n; i++) {
    const char *word = pass->args[i];
    if (strcmp(word, without) == 0)
      continue;
    if (strcmp(word, "-emit-obj") == 0) {
      object = true;
      argv_add_words(front, "-emit-llvm-bc", "-disable-llvm-passes", NULL);
      argv_add(back, word);
    } else if (strcmp(word, "-o") == 0 && i + 1 < n) {
      output = true;
      argv_add_words(front, word, bitcode, NULL);
      argv_add_words(back, word, CICC_OUT, NULL);
      i++;
    } else if (strcmp(word, LIBRARY) == 0 && i + 1 < n) {
      argv_add_words(front, word, pass->args[++i], NULL);
    } else {
      argv_add(front, i + 1 == n ? text : word);
      argv_add(back, i + 1 == n ? CICC_IN : i + 2 == n ? "ir" : word);
    }
  }
  return object && output;
}

/* Of each of these options the last counts. */
void cc1_text(struct argv *out, const struct argv *pass, const char *text, const char *depfile, bool own) {
  argv_add_all(out, pass->args);
  argv_add_words(out, "-E", "-o", text, "-dependency-file", depfile, NULL);
  if (own)
    argv_add_words(out, "-MT", "text", "-sys-header-deps", NULL);
}

void cc1_depfile(struct argv *out, const char *depfile) {
  const char *const words[] = {"-dependency-file", depfile, "-MT", "text", "-sys-header-deps"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    argv_add_words(out, "-Xclang", words[i], NULL);
}
