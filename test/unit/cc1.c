/* cc1.c - clang's device pass in two commands. */
// tier: check
#include "check.h"
#include "core/cc/cc1.h"

#include <stdlib.h>
#include <string.h>

static void check(const char *pass, const char *front, const char *back) {
  struct argv words = {0}, f = {0}, b = {0};
  argv_split(&words, pass, strlen(pass));
  bool done = cc1_divide(&words, "T.hip", "F.bc", "-fms-extensions", &f, &b);
  CHECK(done == (front != NULL), "%s", pass);
  if (done && front) {
    char *first = argv_join(f.args), *second = argv_join(b.args);
    CHECK(strcmp(first, front) == 0, "%s", first);
    CHECK(strcmp(second, back) == 0, "%s", second);
    free(first);
    free(second);
  }
  argv_free(&words);
  argv_free(&f);
  argv_free(&b);
}

int main(void) {
  check(
      "clang -cc1 -emit-obj -fms-extensions -mlink-builtin-bitcode ocml.bc -O2 -o K.o -x hip K.hip",
      "clang -cc1 -emit-llvm-bc -disable-llvm-passes -mlink-builtin-bitcode ocml.bc -O2 -o F.bc -x hip T.hip",
      "clang -cc1 -emit-obj -O2 -o {out} -x ir {in}");
  check("clang -cc1 -emit-llvm-bc -O2 -o K.bc -x hip K.hip", NULL, NULL); /* -fgpu-rdc */
  check("clang -cc1 -emit-obj -o K.o -x c++ K.cpp", NULL, NULL);
  check("clang -cc1 -emit-obj -x hip K.hip", NULL, NULL);
  check("clang", NULL, NULL);
  return bad;
}
