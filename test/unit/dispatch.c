/* dispatch.c - helpers of dispatchers: which are erased, which are left alone, and that a program whose
 * helpers were erased still compiles and prints the same.
 *
 * A table of small programs, with what must be left of each. One program is compiled with its helpers and without, and run, because
 * only a compiler can say that erasing was right. A large one shows that the time grows with the text and not faster.
 */
// tier: check
#include "postbuild/dispatch/dispatch.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int bad;

static void functions_fill(struct functions *f) {
  functions_add(f, "f", "int(*)(const stream&,args)");
  functions_add(f, "f", "int(*)(const stream&,args)");
  functions_add(f, "g", "int(*)(const stream&,args)");
  functions_add(f, "name", "const char*(*)()");
  functions_add(f, "various", "int(*)(int)");
  functions_add(f, "various", "int(*)(long)");
  functions_add(f, "own", "");
}

/* One helper each, and whether it is erased. */
static const struct {
  const char *text;
  bool erased;
} cases[] = {
    {"template <typename A, typename B> int h(const stream& s, args a) { return f<A>(s, a) + g<B>(s, a); }",
     true},
    {"template<class A> static inline int h(const stream &s, const args &a) { return f<A>(s, a); }", true},
    {"template <class A> int h(const stream& s, const args a) { return launch(s, [=] { f<A>(s, a); }); }",
     true},
    {"template <class A> int h() { return run({&f<A>, g<A>, &n::f<A>}); }", true},
    {"template <class A> int h(args a) { int (*p)(const stream&, args) = &f<A>; return p({}, a); }", true},
    {"template <class A> int h(args a) { return ::n::m::f<A>({}, a); }", true},
    {"template <class A> int h(args a) { if (a.n & f<A>(s, a)) { return 1; } return 0; }", true},
    {"struct s { int h; }; template <class A> int k(args a) { return f<A>(s, a); }", true},
    /* the parameter is a value, has a default, a pack, a template; there is none */
    {"template <int N> int h(args a) { return f<N>(s, a); }", true},
    {"template <bool B, class A> int h(args a) { return f<A>(s, a); }", true},
    {"template <class... A> int h(args a) { return f<A...>(s, a); }", false},
    {"template <template <class> class A> int h(args a) { return f<A>(s, a); }", false},
    {"template <class A = int> int h(args a) { return f<A>(s, a); }", true},
    {"int h(args a) { return f<int>(s, a); }", false},
    /* it is used otherwise */
    {"template <class A> int h(args a) { return f<A>(s, a) + A::value; }", false},
    {"template <class A> int h(args a) { if constexpr (is_void<A>) return 1; return f<A>(s, a); }", true},
    {"template <class A> int h(args a) { if constexpr (is_void<A>) return run([] { ; }); else return f<A>(s, "
     "a); }",
     true},
    {"template <class A> int h(args a) { if constexpr (is_void<A>) if (a.n) return 1; return f<A>(s, a); }",
     false},
    {"template <class A> int h(args a) { if constexpr (is_void<A>) for (;;) ; return f<A>(s, a); }", false},
    {"template <class A> int h(args a) { if constexpr (is<A>) {} else if constexpr (is_void<A>) {} return "
     "f<A>(s, a); }",
     false},
    {"template <class A> int h(args a) { if constexpr (is_void<A>) { return 1; } else { return f<A>(s, a); } "
     "}",
     true},
    {"template <class A> int h(args a) { constexpr int n = 1; if constexpr (is<A, n>) { return 1; } return "
     "f<A>(s, a); }",
     false},
    {"template <class A> int h(A a) { return f<A>(s, a); }", false},
    {"template <class A> A h(args a) { return f<A>(s, a); }", false},
    {"template <class A> int h(args a) { return no_blob<A>(s, a); }", false},
    {"template <class A> int h(args a) { return a.f<A>(s, a) + a.template f<A>(); }", false},
    /* types that are not known, or not the same in all blobs */
    {"template <class A> int h(args a) { return various<A>(1); }", false},
    {"template <class A> int h(args a) { return own<A>(1); }", false},
    /* a pointer would not do, or one function for all would mean something else */
    {"template <class A> int h(args a) { return wrap<f<A>>(a) + wrap<&f<A>, 1>(a); }", false},
    {"template <class A> int h(args a) { static int calls; return f<A>(s, a) + ++calls; }", false},
    {"template <class A> int h(args a) { puts(__PRETTY_FUNCTION__); return f<A>(s, a); }", false},
    {"template <class A> int h(args a) { return decltype(f<A>(s, a)){}; }", false},
    {"template <class A> int h(args a) { return run([a](int) { f<A>(s, a); }); }", true},
    {"template <class A> int h(args a) { return run([&] { f<A>(s, a); }); }", true},
    {"template <class A> int h(args a) { return run([] { f<A>({}, {}); }); }", true},
    {"template <class A> auto h(args a) { return [=] { return f<A>({}, a); }; }", false},
    {"template <class A> int h(args a) { using B = int; return f<A, B>({}, a); }", false},
    {"template <class A> int h(args a) { constexpr int k = 2; return f<A, k>({}, a); }", false},
    {"template <class A> int h(args a) { return f<A, decltype(a)>({}, a); }", false},
    {"template <class A> args h(args a) { f<A>({}, a); return a; }", false},
    /* parameters without a name, with a default, of a deduced type */
    {"template <class A> int h(const args) { return f<A>({}, {}); }", false},
    {"template <class A> int h(std::string) { return f<A>({}, {}); }", false},
    {"template <class A> int h(args a = {}) { return f<A>(s, a); }", false},
    {"template <class A> int h(auto a) { return f<A>(s, a); }", false},
    {"template <class A> int h(int (*c)(int)) { return f<A>(s, c(1)); }", false},
    /* declared twice, specialised, or its address taken */
    {"template <class A> int h(args a); template <class A> int h(args a) { return f<A>(s, a); }", false},
    {"template <class A> int h(args a) { return f<A>(s, a); } template <> int h<int>(args a) { return 1; }",
     false},
    {"template <class A> int h(args a) { return f<A>(s, a); } auto p = &h<int>;", false},
    {"template <class A> int h(args a) { return f<A>(s, a); } int (*p)(args) = h<int>;", false},
    /* not a plain function, or not plain text */
    {"template <class A> constexpr int h(args a) { return f<A>(s, a); }", false},
    {"template <class A> [[nodiscard]] int h(args a) { return f<A>(s, a); }", false},
    {"template <class A> int h(args a) noexcept { return f<A>(s, a); }", false},
    {"template <class A> int h(args a) {\n#ifdef X\n return f<A>(s, a);\n#endif\n return 0; }", false},
    {"template <class A> struct h { int m(args a) { return f<A>(s, a); } };", false},
    {"template <class A> int h(args a) { return f<A>(s, a);", false},
};

static void check_cases(const struct functions *f) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buf out = {0};
    struct dispatch_stats stats;
    dispatch_rewrite(&out, cases[i].text, strlen(cases[i].text), f, NULL, DISPATCH_ERASED, &stats);
    size_t n = stats.helpers;
    if (n != cases[i].erased || (!n && strcmp(out.data, cases[i].text) != 0)) {
      fprintf(stderr, "%s\n  want %s\n  got  %s\n", cases[i].text, cases[i].erased ? "erased" : "as it is",
              out.data);
      bad = 1;
    }
    buf_free(&out);
  }
}

static const char program[] =
    "#include <cstdio>\n"
    "struct stream { int id; }; struct args { int n; char big[500]; };\n"
    "template <class T> int f(const stream&, args); template <class T> const char* name();\n"
    "namespace n { namespace m { template <class A, class B> int g(const stream&, args); } }\n"
    "template <> int f<int>(const stream& s, args a) { return s.id + a.n; }\n"
    "template <> int f<long>(const stream& s, args a) { return s.id - a.n++; }\n"
    "template <> const char* name<int>() { return \"int\"; } template <> const char* name<long>() { return "
    "\"long\"; }\n"
    "namespace n::m { template <> int g<int, long>(const stream& s, args a) { return s.id * a.n; } }\n"
    "template <class... F> int launch(const stream& s, F... x) { return (0 + ... + x(s)); }\n"
    "template <typename A, typename B>\n"
    "static int first(const stream& s, args a) // a comment {\n"
    "{ a.n++; std::printf(\"%s %s \", name<A>(), name<B>()); /* } */\n"
    "  return launch(s, [=](const stream& s_) { return f<A>(s_, a); }, [=](const stream& s_) { return "
    "f<B>(s_, a); },\n"
    "                [=](const stream&) { return [=] { return f<A>(s, a); }(); }); }\n"
    "namespace n {\n"
    "template <class A, class B> inline int second(const stream& s, const args a, int* sum) {\n"
    "  int (*list[])(const stream&, args) = {&f<A>, ::f<B>, &m::g<A, B>};\n"
    "  for (auto x : list) *sum += x(s, a);\n"
    "  return m::g<A, B>(s, a); }\n"
    "}\n"
    "int main() { stream s{7}; args a{5, {}}; int sum = 1;\n"
    "  if (a.n > 1) std::printf(\"%d\\n\", first<int, long>(s, a)); else std::printf(\"%d\\n\", first<long, "
    "long>(s, a));\n"
    "  int r = n::second<int, long>(s, a, &sum); std::printf(\"%d %d %d\\n\", r, sum, a.n); }\n";

/* what PROGRAM prints; free() it */
static char *output_of(const char *dir, const char *name, const char *text, size_t len) {
  char *source = xasprintf("%s/%s.cpp", dir, name), *line = NULL,
       *printed = xasprintf("%s/%s.out", dir, name);
  if (!file_write(source, text, len, 0644))
    die(EXIT_FAILED, "%s: cannot be written", source);
  line = xasprintf("c++ -std=c++17 -Wall '%s' -o '%s/%s' && '%s/%s' >'%s'", source, dir, name, dir, name,
                   printed);
  size_t n;
  char *out = system(line) == 0 ? file_read(printed, &n) : NULL;
  free(source);
  free(line);
  free(printed);
  return out ? out : xstrdup("(does not compile or run)");
}

/* A helper of 256 kB, of calls and of lambdas that capture: each is looked at once, or it would take
 * minutes. */
static void check_large(const struct functions *f) {
  static const char *const statements[] = {"f<A>(s, a);", "[&] { f<A>(s, a); };"};
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    struct buf text = {0}, out = {0};
    struct dispatch_stats stats;
    struct timespec from, to;
    buf_puts(&text, "template <class A> void h(const stream& s, args a) {");
    while (text.len < 1 << 18)
      buf_puts(&text, statements[i]);
    buf_putc(&text, '}');
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    dispatch_rewrite(&out, text.data, text.len, f, NULL, DISPATCH_ERASED, &stats);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    if (to.tv_sec - from.tv_sec > 5 || stats.helpers != 1) {
      fprintf(stderr, "%s: %zu erased, %ld s\n", statements[i], stats.helpers,
              (long)(to.tv_sec - from.tv_sec));
      bad = 1;
    }
    buf_free(&text);
    buf_free(&out);
  }
}

int main(void) {
  struct functions f = {0};
  functions_fill(&f);
  check_cases(&f);
  check_large(&f);
  if (!functions_find(&f, "f") || *functions_find(&f, "various") || functions_find(&f, "ff") ||
      functions_find(&f, ""))
    bad = 1;

  char dir[] = "/tmp/ckjit-dispatch.XXXXXX";
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  struct buf out = {0};
  struct dispatch_stats stats;
  dispatch_rewrite(&out, program, strlen(program), &f, NULL, DISPATCH_ERASED, &stats);
  char *stock = output_of(dir, "stock", program, strlen(program)),
       *erased = output_of(dir, "erased", out.data, out.len);
  if (stats.helpers != 2 || strcmp(stock, erased) != 0 || !strstr(stock, "int long")) {
    fprintf(stderr, "%zu erased\nstock:\n%s\nerased:\n%s\n%s", stats.helpers, stock, erased, out.data);
    bad = 1;
  }
  free(stock);
  free(erased);
  buf_free(&out);
  functions_free(&f);
  dir_remove(dir);
  return bad;
}
