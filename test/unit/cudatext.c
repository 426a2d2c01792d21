/* cudatext.c - device text without the bodies of kernels, and stubs that say the same. */
// tier: check
#include "compile/cuda/cudatext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

/* TEXT without bodies is WANTED, and it had BODIES. */
static void check(const char *text, size_t bodies, const char *wanted) {
  struct buf out = {0};
  size_t len = strlen(text);
  char *exact = xmalloc(len ? len : 1); /* a read behind its end is seen */
  memcpy(exact, text, len);
  size_t n = cudatext_without_bodies(exact, len, &out);
  if (n != bodies || (n && (out.len != strlen(wanted) || memcmp(out.data, wanted, out.len) != 0))) {
    fprintf(stderr, "'%s': %zu bodies, '%.*s'\n", text, n, (int)out.len, out.data ? out.data : "");
    bad = 1;
  }
  buf_free(&out);
  free(exact);
}

static void check_bodies(void) {
#define G "__attribute__((global))"
  check("", 0, "");
  check("void f() { g(); }", 0, "");
  check(G " void k(int *x) { *x = 1; }\nvoid f() { k(0); }", 1, G " void k(int *x) {}\nvoid f() { k(0); }");
  check("static __attribute__((__global__)) void k() { { } }", 1,
        "static __attribute__((__global__)) void k() {}");
  check(G " void k(int *x);\nvoid f() { g(); }", 0, "");
  check(G " void k(int *x) = delete; void f() { g(); }", 0, "");
  check("template <class T, int N = sizeof(T{})> " G " __attribute__((launch_bounds(128, A{}.n))) void "
        "k(T a = {}, int (&b)[N]) noexcept(x{}) { a; }",
        1,
        "template <class T, int N = sizeof(T{})> " G " __attribute__((launch_bounds(128, A{}.n))) void "
        "k(T a = {}, int (&b)[N]) noexcept(x{}) {}");
  check(G " type_of<width{4}> k() { a; }", 1, G " type_of<width{4}> k() {}");
  check(G " auto k() noexcept -> void { a; } " G " void l() noexcept { b; }", 2,
        G " auto k() noexcept -> void {} " G " void l() noexcept {}");
  /* what looks like a bracket, and what looks like a kernel */
  check(G " void k() { char c = '}'; const char *s = \"}\", *r = R\"(})\"; /* } */ }", 1, G " void k() {}");
  check("const char *s = \"" G " void k() { }\"; // " G " void k() { }", 0, "");
  check("__attribute__((device)) void d() { } __attribute__((shared)) int global;", 0, "");
  check(G " void a() { x; } " G " void b() { y; }", 2, G " void a() {} " G " void b() {}");
  /* lines keep their numbers */
  check(G " void k() {\n  a;\n# 70 \"x.h\" 3\n  b;\n}\nint z;", 1,
        G " void k() {\n\n# 70 \"x.h\" 3\n\n}\nint z;");
  check(G " void k() {\n# 1 \"x.h\"\n}", 1, G " void k() {\n# 1 \"x.h\"\n}");
  check(G " void k() {\n#pragma unroll \\\n 4\n  for (;;) a;\n}\nint z;", 1,
        G " void k() {\n\n\n\n}\nint z;");
  /* what does not end */
  check(G " void k() { ", 0, "");
  check(G " void k(", 0, "");
  check(G, 0, "");
  check("__attribute__((global", 0, "");
  check(G " void k() { \"", 0, "");
}

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
  check_bodies();
  check_stubs();
  return bad;
}
