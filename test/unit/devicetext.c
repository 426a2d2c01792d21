/* devicetext.c - device text without the bodies of kernels, and with one kernel's alone. */
// tier: check
#include "core/cxx/devicetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G "__attribute__((global))"
#define D "__attribute__((device))"
#define H "__attribute__((host))"

static int bad;

/* TEXT without bodies is WANTED, and it had BODIES. */
static void check(const char *text, size_t bodies, const char *wanted) {
  struct buf out = {0};
  size_t len = strlen(text);
  char *exact = xmalloc(len ? len : 1); /* a read behind its end is seen */
  memcpy(exact, text, len);
  size_t n = devicetext_without_bodies(exact, len, &out);
  if (n != bodies || (n && (out.len != strlen(wanted) || memcmp(out.data, wanted, out.len) != 0))) {
    fprintf(stderr, "'%s': %zu bodies, '%.*s'\n", text, n, (int)out.len, out.data ? out.data : "");
    bad = 1;
  }
  buf_free(&out);
  free(exact);
}

static void check_bodies(void) {
  check("", 0, "");
  check("void f() { g(); }", 0, "");
  check(G " void k(int *x) { *x = 1; }\nvoid f() { k(0); }", 1, G " void k(int *x) {}\nvoid f() { k(0); }");
  check("static __attribute__((__global__)) void k() { { } }", 1,
        "static __attribute__((__global__)) void k() {}");
  check(G " void k(int *x);\nvoid f() { g(); }", 0, "");
  check(G " void k(int *x) = delete; void f() { g(); }", 0, "");
  check("typedef void type(int *); " G " type k; " G " void k(int *p) { a; }", 1,
        "typedef void type(int *); " G " type k; " G " void k(int *p) {}");
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
  /* where the attribute may stand, and what may stand between it and the body */
  check("void " G " k() { a; }", 1, "void " G " k() {}");
  check("void k(int *p) " G " { a; }", 1, "void k(int *p) " G " {}");
  check("static inline " G " [[gnu::flatten]] void (k)(int) const { a; }", 1,
        "static inline " G " [[gnu::flatten]] void (k)(int) const {}");
  check("__attribute__((launch_bounds(8), global)) void k() { a; }", 1,
        "__attribute__((launch_bounds(8), global)) void k() {}");
  check("__attribute__((cleanup(global))) void k() { a; }", 0, "");
  check(G " void __attribute__((amdgpu_flat_work_group_size(1, 8))) k() __attribute__((noinline)) { a; }", 1,
        G " void __attribute__((amdgpu_flat_work_group_size(1, 8))) k() __attribute__((noinline)) {}");
  check(G " void k(F f = [](int n) { return n; }, T t = T{1}) { a; }", 1,
        G " void k(F f = [](int n) { return n; }, T t = T{1}) {}");
  check(G " auto k(T t) -> enable_if_t<(n > A{4}.n)> { a; }", 1,
        G " auto k(T t) -> enable_if_t<(n > A{4}.n)> {}");
  check(G " auto k() -> decltype(f(A{})) { a; } " G " auto l() -> a::b { c; }", 2,
        G " auto k() -> decltype(f(A{})) {} " G " auto l() -> a::b {}");
  check(G " void k(T t) requires C<T> && (n > 1) || requires (T u) { u.x; { u.y }; } && D<T, A{1}>::v { a; }",
        1, G " void k(T t) requires C<T> && (n > 1) || requires (T u) { u.x; { u.y }; } && D<T, A{1}>::v {}");
  check(G " void k(T t) requires requires { t.x; } { a; }", 1,
        G " void k(T t) requires requires { t.x; } {}");
  check(G " void k(T t) noexcept(noexcept(T{})) [[noreturn]] { a; }", 1,
        G " void k(T t) noexcept(noexcept(T{})) [[noreturn]] {}");
  check(G " void k() try { a; } catch (...) { b; }", 1, G " void k() try {} catch (...) { b; }");
  check("struct S { template <class T> static " G " void k(T t) { a; } friend " G " void l(S) { b; } };", 2,
        "struct S { template <class T> static " G " void k(T t) {} friend " G " void l(S) {} };");
  check("template <> " G " void n::k<A<(1 > 0)>, 4>(int *p) { a; }", 1,
        "template <> " G " void n::k<A<(1 > 0)>, 4>(int *p) {}");
  check("template " G " void k<A{1}>(int *p); " G " void l(int), m(); " G " void n() { a; }", 1,
        "template " G " void k<A{1}>(int *p); " G " void l(int), m(); " G " void n() {}");
  check("extern \"C\" { " G " void k() { a; } }", 1, "extern \"C\" { " G " void k() {} }");
  check(G " void\n# 5 \"x.h\"\n__attribute__((launch_bounds(8)))\n# 7 \"x.h\"\n  k()\n#pragma x\n{ a; }", 1,
        G " void\n# 5 \"x.h\"\n__attribute__((launch_bounds(8)))\n# 7 \"x.h\"\n  k()\n#pragma x\n{}");
  check(G " a<n < 3> k() { a; } bool operator>(T a, T b) { c; }", 1,
        G " a<n < 3> k() {} bool operator>(T a, T b) { c; }");
  /* what is not understood, beside what is */
  check(G " void k() { a; } " G " void l() MACRO { b; }", 0, "");
  check(G " a<m == 1 && n < 3> k() { a; } bool operator>(T a, T b) { c; }", 0, "");
  check(G " void k() { a; } " G " void l(", 0, "");
  /* what does not end */
  check(G " void k() { ", 0, "");
  check(G " void k(", 0, "");
  check(G, 0, "");
  check("__attribute__((global", 0, "");
  check(G " void k() { \"", 0, "");
}

#define SELECT(name)                                                                                         \
  "{ if constexpr (__builtin_strcmp(__FUNCDNAME__, \"" name                                                  \
  "\") == 0) { static __attribute__((device, used)) "                                                        \
  "const char ckjit_selected = 1; "

/* TEXT with kernel NAME selected is WANTED; NULL: it cannot be. */
static void check_selected(const char *text, const char *name, const char *wanted) {
  struct buf out = {0};
  size_t len = strlen(text);
  char *exact = xmalloc(len ? len : 1);
  memcpy(exact, text, len);
  size_t n = devicetext_select(exact, len, name, &out);
  if (!n != !wanted || (n && (out.len != strlen(wanted) || memcmp(out.data, wanted, out.len) != 0))) {
    fprintf(stderr, "'%s', kernel %s: %zu bodies, '%.*s'\n", text, name, n, (int)out.len,
            out.data ? out.data : "");
    bad = 1;
  }
  buf_free(&out);
  free(exact);
}

static void check_select(void) {
  check_selected(G " void k() {\n#pragma unroll\n  for (;;) a;\n}\nint x;\n", "_Z1kv",
                 G " void k() " SELECT("_Z1kv") "{\n#pragma unroll\n  for (;;) a;\n} } }\nint x;\n");
  check_selected("template <class T> " G " void k(T t) { a; }; " G " void l() {}", "_Z1kIfEvT_",
                 "template <class T> " G
                 " void k(T t) " SELECT("_Z1kIfEvT_") "{ a; } } }; " G
                                                      " void l() " SELECT("_Z1kIfEvT_") "{} } }");
  check_selected("void f();", "_Z1fv", NULL);
  check_selected(G " void k() { ", "_Z1kv", NULL);
  check_selected(G " void k() {} " G " void l() MACRO {}", "_Z1kv", NULL);
  check_selected(G " void k() {}", "", NULL);
  check_selected(G " void k() {}", "k\") == 0", NULL);
  check_selected(G " void k() {}", "void k()", NULL);
  /* with -fms-extensions these have an effect, which they have not in the unit */
  check_selected("#pragma optimize(\"\", off)\n" G " void k() {}", "_Z1kv", NULL);
  check_selected(G " void k() {\n# pragma\tfunction(memcpy)\n}", "_Z1kv", NULL);
  check_selected(
      G " void k() {\n#pragma functional\n#pragma\n#pragma clang optimize off\n}", "_Z1kv",
      G " void k() " SELECT("_Z1kv") "{\n#pragma functional\n#pragma\n#pragma clang optimize off\n} } }");
}

#define EXPORT(name) "{ if constexpr (__builtin_strcmp(__FUNCDNAME__, \"" name "\") == 0) { "

/* TEXT for the export of kernel NAME is WANTED. */
static void check_exported(const char *text, const char *name, bool hosts, const char *wanted) {
  struct buf out = {0};
  if (!devicetext_export(text, strlen(text), name, hosts, &out) || out.len != strlen(wanted) ||
      memcmp(out.data, wanted, out.len) != 0) {
    fprintf(stderr, "'%s', kernel %s exported: '%.*s'\n", text, name, (int)out.len, out.data ? out.data : "");
    bad = 1;
  }
  buf_free(&out);
}

static void check_export(void) {
  check_exported(G " void k() { a; } int f() { b; }", "_Z1kv", true,
                 G " void k() " EXPORT("_Z1kv") "{ a; } } } int f() { b; }");
  check_exported(G " void k() { a; } int f() { b; }", "_Z1kv", false,
                 G " void k() " EXPORT("_Z1kv") "{ a; } } } int f() {}");
  check_exported("template <class T> " G " void other(T t) {\n a; }\n" G " void k() {}", "_Z1kv", true,
                 "template <class T> " G " void other(T t) ;\n\n" G " void k() " EXPORT("_Z1kv") "{} } }");
  check_exported("extern \"C\" " G " void k() {} " G " void l() {}", "k", true,
                 "extern \"C\" " G " void k() " EXPORT("k") "{} } } " G " void l() ;");
  /* whose names are not read */
  check_exported(G " void (l)(int) {} void " G " m() {} void n() " G " {}", "_Z1kv", true,
                 G " void (l)(int) " EXPORT("_Z1kv") "{} } } void " G " m() ; void n() " G
                                                     " " EXPORT("_Z1kv") "{} } }");
}

#define LATER                                                                                                \
  "{ if constexpr (::ckjit_wanted< ::ckjit_hash(__FUNCDNAME__)>::yes) { static __attribute__((device, "      \
  "used)) const char ckjit_selected = 1; "

/* A kernel that is named behind the text: what stands before the text does not change with it, nor do lines. */
static void check_later(void) {
  static const char text[] = "# 1 \"a.hip\"\n" G " void k() {\n a; } int f() { b; }";
  struct buf out = {0}, want = {0};
  if (devicetext_select_later(text, strlen(text), &out) != 1 ||
      !str_ends(out.data, "}\n# 1 \"a.hip\"\n" G " void k() " LATER "{\n a; } } } int f() {}") ||
      !strstr(out.data, "struct ckjit_wanted { enum { yes = 0 }; };")) {
    fprintf(stderr, "'%s' for a header: '%.*s'\n", text, (int)out.len, out.data ? out.data : "");
    bad = 1;
  }
  /* FNV-1a of "a", as its authors have it */
  devicetext_want("a", &want);
  if (strcmp(want.data, "template <> struct ckjit_wanted<0xaf63dc4c8601ec8cULL> { enum { yes = 1 }; };\n") !=
      0) {
    fprintf(stderr, "wanted: %s", want.data);
    bad = 1;
  }
  buf_free(&out);
  if (devicetext_select_later(text + 12, strlen(text + 12), &out) || devicetext_select_later("", 0, &out)) {
    fprintf(stderr, "a text without a marker is made a header\n");
    bad = 1;
  }
  buf_free(&out);
  buf_free(&want);
}

static void check_constants(void) {
  static const struct {
    const char *text;
    bool has;
  } rows[] = {
      {"", false},
      {"static const __attribute__((constant)) bool value = true;", false},
      {"template <class T> struct s { static constexpr __attribute__((__constant__)) T v[2] = {1, 2}; };",
       false},
      {"__attribute__((constant)) const a::b<c> x;", false},
      {"int const i; __attribute__((constant)) float table[4];", true},
      {"template <const int N> __attribute__((constant)) float table;", true},
      {"inline __attribute__((aligned(8), constant)) float f{4};", true},
      {"__attribute__((constant)) const char *text;", true},
      {"float __attribute__((constant)) f; const int i;", true},
      {"__attribute__((const)) int f(); __attribute__((device)) int constant; // __attribute__((constant)) int i;",
       false},
      {"/*", true},
      {"__attribute__((constant))", true},
      {"__attribute__((constant", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t len = strlen(rows[i].text);
    char *exact = xmalloc(len ? len : 1);
    memcpy(exact, rows[i].text, len);
    if (devicetext_variables(exact, len).constant != rows[i].has) {
      fprintf(stderr, "'%s': constants\n", rows[i].text);
      bad = 1;
    }
    free(exact);
  }
}

/* Which variables of a device may the host write that no other unit has? */
static void check_variables(void) {
  static const struct {
    const char *text;
    bool has;
  } rows[] = {
      {"", false},
      {D " int n; " D " static inline int f(int); " D " int g(T) { return n; }",
       false}, /* the compiler keeps n */
      {D " int static err = 0; template <class T> " D " T f(T) { return err; }", false},
      {"static " D " int n; void f() { g(&n); }", true},
      {"namespace a { namespace { " D " float t[4]; } } void f() { g(a::t); }", true},
      {"namespace { " D " float t(T); } " D " float u; void f() { g(u); }", false},
      {"namespace { struct s { " D " s() : n(1) {} " D " auto f() const -> int; int n; }; }", false},
      {"static " D " int n; " D " int f() { return n; } void g() { hipMemcpyToSymbol(x, 0, 4); }", true},
      {"static " D " int n;\n# 7 \"h.h\" 3\nvoid f() { hipMemcpyToSymbol(n); }\n# 9 \"a.cpp\" 2\n", false},
      {"static " D " int n;\n# 7 \"h.h\" 1\nvoid f() { hipMemcpyToSymbol(m); }\n# 9 \"a.cpp\" 2\n", true},
      {"static const " D " int n = 3; static constexpr " D " int m{4}; void f() { g(&n, &m); }", false},
      {"static " D " int n(3); void f() { g(&n); }", true},
      {"int static n " D " = 3; void f() { g(&n); }", true},
      {"static int f() " D "; static auto l = [] " D " (int n) { return n; }; static auto m = [] " D " { };",
       false},
      {"static " D, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (devicetext_variables(rows[i].text, strlen(rows[i].text)).device != rows[i].has) {
      fprintf(stderr, "'%s': variables of a device\n", rows[i].text);
      bad = 1;
    }
}

/* TEXT and a kernel, the kernel selected: WANTED is what is before it. */
static void check_host(const char *text, const char *wanted) {
  struct buf out = {0};
  char *whole = xasprintf("%s " G " void k() {}", text), *start = xasprintf("%s " G, wanted);
  if (!devicetext_select_alone(whole, strlen(whole), "_Z1kv", &out) || !str_starts(out.data, start)) {
    fprintf(stderr, "'%s': '%.*s'\n", text, (int)out.len, out.data ? out.data : "");
    bad = 1;
  }
  buf_free(&out);
  free(whole);
  free(start);
}

static void check_hosts(void) {
  check_host("int f(int n) {\n  return n;\n}", "int f(int n) {\n\n}");
  check_host("static inline int *a::f(struct s *s = {}) noexcept { return 0; };",
             "static inline int *a::f(struct s *s = {}) noexcept {};");
  check_host(
      "namespace a { inline namespace b __attribute__((x)) { extern \"C\" { void f() { g(); } } } } void g() { h(); }",
      "namespace a { inline namespace b __attribute__((x)) { extern \"C\" { void f() {} } } } void g() {}");
  check_host(
      "namespace a = b; template <class T> template <class U> void a<T>::f(U) { g; } __extension__ int f() { g(); }",
      "namespace a = b; template <class T> template <class U> void a<T>::f(U) { g; } __extension__ int f() {}");
  check_host("extern \"C\" void f() { g(); } a<b{1}> f() { g(); }",
             "extern \"C\" void f() {} a<b{1}> f() {}");
  /* whose requirement has braces, which are no body: <utility> in C++20 */
  check_host(
      "template <class T> bool f(T t) requires requires { { t } -> c; } { return g(t); } int h() { g(); }",
      "template <class T> bool f(T t) requires requires { { t } -> c; } { return g(t); } int h() {}");
  /* what stays as it is */
  static const char *const same[] = {
      D " int f() { return 1; }",
      "__attribute__((host)) " D " void f() { g(); }",
      "int f() __attribute__((__device__)) { return 1; }",
      "constexpr int f() { return 1; }",
      "consteval int f() { return 1; }",
      "auto f() { return 1; }",
      "decltype(auto) f() { return 1; }",
      "void f(auto x) { g(x); }",
      "template <class T> void f(T x) { g(x); }",
      "template <class T> requires requires (T t) { t.x; } void f(T) { g(); }",
      "struct a { void f() { g(); } };",
      "a::a(int n) : n(n) { g(); }",
      "a::a(int n) : n{n}, m{1} { g(); }",
      "void f() try { g(); } catch (...) { h(); }",
      "int f = [] { return 1; }(), a{4}, b = {f(1)};",
      "int a[] = {f(1), f(2)}; bool c = a < b; enum e { x = f(1) };",
      "bool operator==(a, b) { return true; }",
      "void f() { g([] " D " (int n) { return n; }); }",
      "void f() { static __attribute__((shared, constant)) int n; }",
      "#pragma clang force_cuda_host_device begin\nint f() { return 1; }\n#pragma clang force_cuda_host_device end\n",
      "#pragma clang attribute push(__attribute__((device)), apply_to=function)\nint f() { return 1; }\n",
      "int f( { g(); }",
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    check_host(same[i], same[i]);
  check_host(
      "#pragma clang force_cuda_host_device begin\nint f() { a; }\n#pragma clang force_cuda_host_device end\nint g() { b; }",
      "#pragma clang force_cuda_host_device begin\nint f() { a; }\n#pragma clang force_cuda_host_device end\nint g() {}");
}

#define C "__attribute__((constant))"

/* TEXT declares WANTED: the name, its scope and the device's name of each variable, ? for what is not certain, ! for one that is constant. */
static void check_named(const char *text, const char *wanted) {
  struct devicetext_named *list;
  size_t n;
  struct buf out = {0};
  bool read = devicetext_names(text, strlen(text), "_id", &list, &n);
  for (size_t i = 0; i < n; i++) {
    buf_printf(&out, "%s%s %s %s%s", i ? ", " : "", list[i].name, list[i].scope,
               list[i].device ? list[i].device : "?", list[i].constant ? "!" : "");
    free(list[i].name);
    free(list[i].scope);
    free(list[i].device);
  }
  free(list);
  const char *got = !read ? "not understood" : out.len ? out.data : "";
  if (strcmp(got, wanted) != 0) {
    fprintf(stderr, "'%s': '%s', wanted '%s'\n", text, got, wanted);
    bad = 1;
  }
  buf_free(&out);
}

static void check_names(void) {
  check_named(D " int a; static " C " int b[2]; int c;", "a  a, b  b!");
  check_named(D " int a = 3, *b[2];" D " int (*c)(int);", "a  a, b  b, int  int, c  c");
  check_named(C " " D " int a;", "a  a!, a  a!");
  check_named("namespace n { " D " int a; static " D " T b; namespace m { " D " constexpr T c{}; } } " D
              " int d;",
              "a 1n _ZN1n1aE, b 1n _ZN12_INTERNAL_id1n1bE, c 1n1m _ZN12_INTERNAL_id1n1m1cE, d  d");
  check_named("inline namespace [[x]] v1::inline w { " D " int a; } namespace o = p; using namespace q; " D
              " int b;",
              "a 2v11w _ZN2v11w1aE, b  b");
  check_named("namespace { " D " T a; } namespace n { namespace { " C " int b; } " D " T c; }",
              "a 14_GLOBAL__N__id _ZN12_INTERNAL_id14_GLOBAL__N__id1aE, "
              "b 1n14_GLOBAL__N__id _ZN12_INTERNAL_id1n14_GLOBAL__N__id1bE!, c 1n ?");
  /* a const is internal, if it is one of the variable */
  check_named("namespace n { " D " const T a = {}; const " D " int b = 3; " D " const int *c; " D
              " int *const d = 0; }",
              "a 1n _ZN12_INTERNAL_id1n1aE, b 1n _ZN12_INTERNAL_id1n1bE, c 1n ?, d 1n ?");
  check_named("namespace n { " D " const volatile int a = 3; extern " D " int b; } extern \"C\" " D " int c;",
              "a 1n ?, b 1n ?, c  ?");
  check_named("extern \"C\" { " D " int a; namespace n { " D " int b; } } " D " int c;",
              "a  a, b 1n8extern C ?, c  c");
  check_named("namespace n { extern \"C\" { static " D " int a; } " D " int b; }",
              "a 1n8extern C ?, b 1n _ZN1n1bE");
  check_named("namespace std { " D " int a; } " D " int n::b;", "a 3std ?, b  ?");
  check_named("void f() { static " D " int a; if (1) { } } struct s { int b; }; " D " int c;", "a  ?, c  c");
  check_named(D " int a asm(\"b\");", "not understood");
  check_named("} } " D " int a;", "a  a");
}

/* The variables of TEXT that the host does not name are WANTED, each with a blank before it. */
static void check_only(const char *text, const char *wanted) {
  struct argv names = {0};
  struct buf out = {0};
  size_t len = strlen(text);
  char *exact = xmalloc(len + 1);
  memcpy(exact, text, len);
  devicetext_device_only(exact, len, &names);
  buf_puts(&out, "");
  for (size_t i = 0; i < names.n; i++)
    buf_printf(&out, " %s", names.args[i]);
  if (strcmp(out.data, wanted) != 0) {
    fprintf(stderr, "'%s': only device code names%s\n", text, out.data);
    bad = 1;
  }
  free(exact);
  buf_free(&out);
  argv_free(&names);
}

static void check_device_only(void) {
  check_only("static " C " float a[2] = {1}; " G " void k(float *p) { p[0] = a[1]; }", " a");
  check_only(D " static int a; namespace n { namespace { " C " int b; } } " D " int f() { return a + b; }",
             " a b");
  check_only(D " int a; int *f() { return &a; }", "");
  check_only(D " int a; " H " " D " int f() { return a; }", "");
  check_only(D " int a; static inline " D " " H " int f() { return a; }", "");
  check_only(D " int a; int *b = &a;", "");
  check_only(D " int a, b; " D " int *c = &a;", " c"); /* b may be anything */
  check_only(D " int a; template <class T> " G " void k(int *p = &a) {}", "");
  check_only(D " int a; auto l = [] " D " (int x) { return a + x; };", " a");
  check_only(D " int a; static int *f() { return &a; }", " a"); /* nobody calls it */
  check_only(D " int a; inline " H " int *f() { return &a; }", " a");
  check_only(D " int a; static int *f() { return &a; } int *g() { return f(); }", "");
  check_only(D " int a; __attribute__((constructor)) static void f() { a = 1; }", "");
  check_only(D " int a; [[gnu::used]] static void f() { a = 1; }", "");
  check_only(D " int a; struct s { int *f() { return &a; } };", "");
  check_only(D " int a; # 1 \"x\"\n", " a");
  check_only("", "");
}

int main(void) {
  check_device_only();
  check_names();
  check_bodies();
  check_select();
  check_export();
  check_later();
  check_constants();
  check_variables();
  check_hosts();
  return bad;
}
