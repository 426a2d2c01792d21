/* cudatext.c - stubs that say the same. */
// tier: check
#include "compile/cuda/cudatext.h"

#include <stdio.h>

static int bad;

static void check_same(bool wanted, const char *a, const char *b) {
  if (cudatext_same_stub(a, b) != wanted || cudatext_same_stub(b, a) != wanted) {
    fprintf(stderr, "'%s' and '%s': not %d\n", a, b, wanted);
    bad = 1;
  }
}

static void check_stubs(void) {
  check_same(true, "", "");
  check_same(true, "f(void **__T94475){g(__T94475);}", "f(void **__T898){g(__T898);}");
  check_same(false, "f(__T1);", "f(__T1);h();");
  check_same(false, "f(__T1);", "f(__U1);");
  check_same(false, "f(__T);", "f(__T1);");
  check_same(true, "# 1 \"a.stub.c\"\nf(__T1);\n# 2 \"a\"", "# 1 \"stub.c\"\nf(__T20);\n# 2 \"b\"");
  check_same(true, "\n__T1;\n__T2", "\n__T10;\n__T20");
  check_same(false, "\n__T1;\n# 1 \"a\"", "\n# 1 \"a\"\n__T1;");
  check_same(false, "f(); # 1 \"a\"", "f(); # 1 \"b\"");
  check_same(false, "#define A", "#define B");
  check_same(false, "# 1 \"a\"\nf();", "f();");
  check_same(false, "k1", "k2");
  check_same(false, "__T1", "");
  check_same(false, "__T1 ", "__T1");
}

int main(void) {
  check_stubs();
  return bad;
}
