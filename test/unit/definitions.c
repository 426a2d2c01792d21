/* definitions.c - what a unit's text says that it defines for others, how that fits the mangled names
 * of a link, and which texts have to be made with their library.
 */
// tier: check
#include "core/cxx/definitions.h"
#include "core/cxx/headermacros.h"
#include "core/cxx/headernames.h"
#include "core/cxx/cxxunit.h"
#include "core/cxx/visibility.h"
#include "postbuild/mangled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void is(const char *what, const char *want, const char *got) {
  if (strcmp(want, got) != 0) {
    fprintf(stderr, "failed: %s: expected '%s', found '%s'\n", what, want, got);
    bad = 1;
  }
}

static char *find_nothing(void *user, const char *from, const char *name, bool angled) {
  (void)user, (void)from, (void)name, (void)angled;
  return NULL;
}

static void add_names(struct buf *b, const struct argv *names) {
  for (size_t i = 0; i < names->n; i++)
    buf_printf(b, "%s%s", i ? "." : "", names->args[i]);
}

/* What TEXT defines: "a.f k:kernel t:class"; or "- RULE". */
static char *read_text(const char *text) {
  static const char *const kinds[] = {"", ":kernel", ":class", "", ":variable"};
  struct cxx_unit u;
  struct definitions d;
  struct reason why = {0};
  struct buf b = {0};
  buf_puts(&b, "");
  cxx_unit_read(&u, "/x/u.cu", text, strlen(text), NULL, true, find_nothing, NULL);
  if (!definitions_read(&d, &u.scan, &why))
    buf_printf(&b, "- %s", rule_row(why.rule)->id);
  else
    for (size_t i = 0; i < d.n; i++) {
      buf_puts(&b, i ? " " : "");
      add_names(&b, &d.list[i].names);
      buf_puts(&b, kinds[d.list[i].kind]);
    }
  definitions_free(&d);
  cxx_unit_free(&u);
  return b.data;
}

static void test_texts(void) {
  static const char *const rows[][2] = {
      {"int f() { return 1; }", "f"},
      {"namespace a { namespace b { int f() { return 1; } } }", "a.b.f"},
      {"namespace a::b { void c::run::start(int n) {} }", "a.b.c.run.start"},
      {"a::b::b() {} a::b::~b() {}", "a.b.b a.b.b"},
      {"template <int N> int f() { return N; } template int f<3>();", "f"},
      {"namespace { int g() { return 1; } } static int h() { return 1; } int f() { return g() + h(); }", "f"},
      {"template class ivf::index<float>;", "ivf.index:class"},
      {"namespace a {\ntemplate API index<int, T>::index<n ::m<float>>(const t& x, b::c y); }",
       "a.index.index"},
      {"namespace a { template <> template <> API index<int, T>::index<n ::i>(const t& x) : r{new a<b, c>(x)} {} }",
       "a.index.index"},
      {"__global__ void k(int *p) {} int f() { return 1; }", "k:kernel f"},
      {"static __global__ void k(int *p) {} int f() { return 1; }", "f"},
      {"__device__ int g() { return 1; } int f() { return 1; }", "f"},
      {"static __device__ int counts[4]; __constant__ float c; int f() { return 1; }", "f"},
      {"extern \"C\" int f() { return 1; }", "f"},
      {"v operator+(v a, v b) { return a; }", "operator"},
      {"#define MAKE(n) int f_##n() { return n; }\nMAKE(1)\nMAKE(2)\n#undef MAKE\n", "f_1 f_2"},
      {"inline int g() { return 1; } int f() { return g(); }", "f"},
      /* these are made with their library */
      {"int counter = 3; int f() { return counter; }", "counter:variable f"},
      {"thread_local std::string last = begin(); namespace n { int a[2] = {1}; } int f() { return 1; }",
       "last:variable n.a:variable f"},
      {"int counter = begin(); int f() { return counter; }", "- variable"},
      {"int a = 1, b = 2; int f() { return a; }", "- variable"},
      {"static registration r{\"f\"}; int f() { return 1; }", "- initialiser"},
      {"const long ns::c::count = 4; int f() { return 1; }", "- variable"},
      {"const long count = 4; static const int n[2] = {1, 2}; const std::string s = \"\"; int f() { return 1; }",
       "f"},
      {"__managed__ int m; int f() { return m; }", "- variable"},
      {"extern \"C\" __attribute__((constructor)) void begin() {} int f() { return 1; }", "- initialiser"},
      {"int main() { return 1; }", "- function"},
      {"REGISTER(f, &g)\nint f() { return 1; }", "- macro"},
      {"extern \"C\" int g(int) __attribute__((alias(\"f\"))); extern \"C\" int f(int n) { return 1; }",
       "- asm"},
      {"asm(\".globl x\"); int f() { return 1; }", "- asm"},
      {"template <int N> __global__ void k(int *p); int f() { return launch(k<1>); }", "- foreign-kernel"},
      {"template <class T> __global__ void k(T *p); template <> __global__ void k<int>(int *p) {} int f() { return "
       "launch(k<int>); }",
       "k:kernel f"},
      {"a::b::b() = default; a::b::~b() = default;", "a.b.b a.b.b"},
      {"constexpr struct { int n; } sizes{3}; int f() { return sizes.n; }", "f"},
      /* nothing that others can call */
      {"static int g() { return 1; }", "- nothing"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *got = read_text(rows[i][0]);
    is(rows[i][0], rows[i][1], got);
    free(got);
  }
}

static void test_headers(void) {
  static const char *const rows[][2] = {
      {"int f(int n); inline int g() { return 1; } struct s { int h() { return 1; } };", " copied g"},
      {"inline bool is(t p) { return p == f || p != n::g; } int h(int a); inline int k() { return h(1); }",
       " copied is.k named p.f.p.g"},
      {"__device__ inline int g() { return 1; } template <class T> __device__ T h(T x) { return 2; }", ""},
      {"__host__ __device__ inline int g() { return 1; }", " copied g"},
      {"#define IS(p) ((p) == f)\n", " named p.p.f"},
      {"int f(int n) asm(\"other\");", "- asm"},
      {"int f() { return 1; }", "f"},
      {"FUNC_QUALIFIER int f() { return 1; }", "f"},
      {"template <class T> int f(T x) { return 1; } template <> int f(int x) { return 2; }", "f copied f"},
      {"static note noted;", "- initialiser"},
      {"static registrar r(\"header\", nullptr);", "- initialiser"},
      {"inline n::registrar r(f, &g);", "- initialiser named f.g runs"},
      {"registrar make(const char *name, f *g = nullptr); DEFINE(r, \"header\");",
       " named r unclear DEFINE(r, \"header\");\n"},
      {"struct s { s() : n{1} {} template <int N> inline int get() { return 2; } };", ""},
      {"int counter = 0;", "- variable"},
      {"EXTERN int counter; extern int other; extern const char *const names[2]; extern int f(int n);",
       " extern other.names doubt"},
      {"DECL more(\"b\", 2);", " doubt"},
      {"DECL more;", " doubt"},
      {"NORETURN FORMAT(3, 4) API void f(const char *s, ...);",
       " unclear NORETURN FORMAT(3, 4) API void f(const char *s, ...);\n"},
      {"REG(sum);", " named sum unclear REG(sum);\n"},
      {"int f(); }", " unclear }\n"},
      {"struct s { int f() { return g(1,\n#if A\n 2);\n#else\n 3);\n#endif\n p = q; } int h(); };\nregistrar r(\"a\", 1);",
       " named q unclear }; registrar r(\"a\", 1);\n doubt"},
      {"__device__ int counter = 0; const int n = 3;", ""},
      {"#ifdef LOGS\ninline note noted;\n#endif", " doubt"},
      {"inline std::mutex mutex; inline int level = 0; namespace n { inline bool b[2] = {1}; }", ""},
      {"inline thread_local bool throws = 0; inline thread_local note noted = begin();", ""},
      {"inline int level = begin();", "- variable runs"},
      {"inline note noted;", "- variable runs"},
      {"struct s { inline static bool done = enrol(); };", "- initialiser runs"},
      {"struct s { inline static int n = 0; inline static thread_local int m = 1; };", ""},
      {"template <> struct __align__(1) chunk<1> { char c; };", ""},
      {"struct { int n; } typedef s;", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct header_names h = {0};
    struct reason why = {0};
    struct buf b = {0};
    buf_puts(&b, "");
    if (header_names_read(&h, rows[i][0], strlen(rows[i][0]), false, &why))
      buf_printf(&b, "- %s", rule_row(why.rule)->id);
    else
      add_names(&b, &h.functions);
    if (h.externs.n)
      buf_puts(&b, " extern ");
    add_names(&b, &h.externs);
    if (h.copied.n)
      buf_puts(&b, " copied ");
    add_names(&b, &h.copied);
    if (h.named.n)
      buf_puts(&b, " named ");
    add_names(&b, &h.named);
    if (h.unclear.n)
      buf_puts(&b, " unclear ");
    add_names(&b, &h.unclear);
    buf_puts(&b, h.doubt ? " doubt" : "");
    buf_puts(&b, h.runs ? " runs" : "");
    is(rows[i][0], rows[i][1], b.data);
    header_names_free(&h);
    buf_free(&b);
  }
}

/* As the preprocessor wrote it, nothing is in doubt. */
static void test_expanded(void) {
  static const char *const rows[][2] = {
      {"static my_reg r_1(\"b\", 2);", "initialiser"},
      {"size_t counter;", "variable"},
      {"inline size_t counter = 0;", ""},
      {"inline size_t counter = begin();", "variable"},
      {"[[noreturn]] __attribute__((format(printf, 3, 4))) void f(const char *s, ...);", ""},
      {"REG(sum);", "macro"},
      {"int f(); }", "not-read"},
      {"typedef int n_t; inline int f() { return 1; }", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct header_names h = {0};
    struct reason why = {0};
    bool kept = header_names_read(&h, rows[i][0], strlen(rows[i][0]), true, &why);
    is(rows[i][0], rows[i][1], kept ? rule_row(why.rule)->id : "");
    header_names_free(&h);
  }
}

static void test_header_macros(void) {
  static const char text[] =
      "#ifdef A\n#define DEPRECATED(f, hint) f __attribute__((deprecated(hint)))\n"
      "#else\n# define DEPRECATED(f, hint) f\n#endif\n"
      "#define FORMAT(...) __attribute__((format(printf, __VA_ARGS__)))\n"
      "#ifdef A\n#define API extern\n#else\n#define API __attribute__((visibility(\"default\"))) extern\n#endif\n"
      "#ifdef D\n#define TABLE(type, name, n) static const type name[n] = {\n#else\n"
      "#define TABLE(type, name, n) static const __device__ type name[n] = {\n#endif\n#define TABLE_END() };\n"
      "#define HOLD static\n#define SELF SELF\n"
      "#define REG(x) static reg r_##x(#x, 1)\n"
      "#define ALL(x) DEPRECATED(int f_##x(), \"\"); REG(x)\n"
      "#define AGAIN(x) AGAIN(x)\n"
      "#define ENUM(x) enum x { a };\n"
      "#define MAYBE(x) int f_##x(int)\n#define MAYBE2(x) static reg x{1}\n";
  static const struct {
    const char *unclear;
    bool doubt;
  } rows[] = {
      {"DEPRECATED(API int f(void), \"g\");", false},
      {"NORETURN FORMAT(3, 4) API void f(const char *s, ...);", false},
      {"ENUM(e) int f(int);", false},
      {"MAYBE(x);", false},
      {"TABLE(int, a, 2) 1, 2 TABLE_END() TABLE(int, b, 1) 3 TABLE_END()", false},
      {"TABLE(int, a, 2) 1, 2 TABLE_END() TABLE(reg, b, 1) f(3) TABLE_END()", true},
      {"API float converted(value_t);", false},
      {"HOLD float converted(value_t);", true},
      {"SELF float converted(value_t);", true},
      {"MAYBE2(x);", true},
      {"REG(sum);", true},
      {"ALL(sum);", true},
      {"AGAIN(x);", true},
      {"UNKNOWN(x);", true},
  };
  struct macros m = {0};
  macros_add(&m, text, sizeof text - 1);
  macros_settle(&m);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct argv one = {0};
    argv_add(&one, rows[i].unclear);
    is(rows[i].unclear, rows[i].doubt ? "doubt" : "", headermacros_in_doubt(&one, &m) ? "doubt" : "");
    argv_free(&one);
  }
  macros_free(&m);
}

static void test_symbols(void) {
  static const char *const rows[][2] = {
      {"f", "f"},
      {"_Z1fv", "f"},
      {"_ZN1a1b1fEi", "a.b.f"},
      {"_ZN1n1SILi3EE1fIfEEvT_", "n.S.f"},
      {"_ZN1n1SC1Ei", "n.S.S"},
      {"_ZN1n1SD2Ev", "n.S.S"},
      {"_ZN1n1SlsEi", "n.S.operator"},
      {"_ZN1n4madeB5cxx11Ei", "n.made"},
      {"_ZTVN1n1SILi3EEE", "n.S:class"},
      {"_ZTI1S", "S:class"},
      /* damaged, or of another compiler */
      {"_ZN9", "_ZN9"},
      {"_Z", "_Z"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct argv names = {0};
    struct buf b = {0};
    bool of_class;
    buf_puts(&b, "");
    mangled_names(&names, rows[i][0], &of_class);
    add_names(&b, &names);
    buf_puts(&b, of_class ? ":class" : "");
    is(rows[i][0], rows[i][1], b.data);
    argv_free(&names);
    buf_free(&b);
  }
}

static void test_parameters(void) {
  static const struct {
    const char *symbol;
    int n;
  } rows[] = {
      {"_Z1fv", 0},
      {"_Z1fi", 1},
      {"_ZN1a1fEidPKc", 3},
      {"_ZNK1a1fIiEEvSt4pairIiT_EPFviiE", 2},
      {"_ZNK1cixEl", 1},
      {"_Z1fIXadL_Z1gvEEEvii", 2},
      {"_ZN1a5countE", -1},
      {"f", -1},
      {"_ZTVN1n1SILi3EEE", -1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int n = mangled_parameters(rows[i].symbol);
    if (n != rows[i].n) {
      fprintf(stderr, "failed: %s has %d parameters, not %d\n", rows[i].symbol, rows[i].n, n);
      bad = 1;
    }
  }
}

/* How well the first definition of TEXT fits SYMBOL. */
static unsigned fits(const char *text, const char *symbol) {
  struct cxx_scan s;
  struct definitions d;
  struct reason why;
  struct argv names = {0};
  bool of_class;
  cxx_scan(&s, text, strlen(text));
  definitions_read(&d, &s, &why);
  mangled_names(&names, symbol, &of_class);
  unsigned fit = definition_fits(&d.list[0], &names);
  argv_free(&names);
  definitions_free(&d);
  cxx_scan_free(&s);
  return fit;
}

static void test_fits(void) {
  static const struct {
    const char *text, *symbol;
    unsigned fit;
  } rows[] = {
      {"namespace a { int f() { return 1; } }", "_ZN1a1fEv", 2},
      {"namespace a { int f() { return 1; } }", "_ZN1b1fEv", 1},
      {"namespace a { int f() { return 1; } }", "_Z1fv", 1},
      {"int length() { return 1; }", "_ZNSt11char_traitsIcE6lengthEPKc", 1},
      {"int f() { return 1; }", "_Z1gv", 0},
      {"template class ivf::index<float>;", "_ZN3ivf5indexIfE5buildEv", 2},
      {"template class ivf::index<float>;", "_ZN3ivf5buildEv", 0},
      {"template class ivf::index<float>;", "_ZN3raf5indexIfE5buildEv", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    unsigned got = fits(rows[i].text, rows[i].symbol);
    if (got != rows[i].fit) {
      fprintf(stderr, "failed: %s and %s: fit %u, expected %u\n", rows[i].text, rows[i].symbol, got,
              rows[i].fit);
      bad = 1;
    }
  }
}

static void test_compared(void) {
  static const char *const rows[][2] = {
      {"bool is(int (*p)(int)) { return p == pick; }", " pick"},
      {"bool is(int (*p)(int)) { return &ns::pick != p; }", " pick"},
      {"bool is(int x) { return x == pick(1) && pick<int>(2) != x && x == ns::pick<int>(3) && x == s.n; }",
       ""},
      {"bool is(int (*p)(int)) { return pick<int> == p || p == ns::taken<int>; }", " pick taken"},
      {"bool is() { return pick == nullptr || 0 != pick; }", ""},
      {"bool is(float x) { const float distance = x; return distance == limit; }", " limit"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct argv named = {0};
    struct buf b = {0};
    buf_puts(&b, "");
    header_names_values(&named, rows[i][0], strlen(rows[i][0]), true);
    for (size_t k = 0; k < named.n; k++)
      buf_printf(&b, " %s", named.args[k]);
    is(rows[i][0], rows[i][1], b.data);
    argv_free(&named);
    buf_free(&b);
  }
}

/* What has a visibility of its own, and by which word. */
static void test_marked(void) {
  static const char *const rows[][2] = {
      {"int f(int); struct s { int g(); };", ""},
      {"API int f(int);", "f API"},
      {"__attribute__((visibility(\"default\"))) std::vector<int> a::f(int);", "f \"default\""},
      {"int f(int x) __attribute__((visibility(\"default\")));", "f \"default\""},
      {"[[gnu::visibility(\"default\")]] int f(int);", "f \"default\""},
      {"__attribute__((visibility(\"hidden\"))) int f(int);", "f \"hidden\""},
      {"int f(int) __attribute__((visibility(\"internal\")));", "f \"hidden\""},
      {"namespace a __attribute__((visibility(\"hidden\"))) { int f(int); }", "a \"hidden\""},
      {"__attribute__((visibility(\"protected\"))) int f(int);", ""},
      {"#pragma GCC visibility push(hidden)\nint f(int);", "* \"hidden\""},
      {"struct API s : base { int g(); };", "s API"},
      {"struct s { API static int g(); };", "g API"},
      {"namespace API a { int f(int); }", "a API"},
      {"namespace a API { int f(int); }", "a API"},
      {"extern template API int run<int>(int);", "run API"},
      {"template class API box<int>;", "box API"},
      {"int f(int) NOEXCEPT;", "f NOEXCEPT"},
      {"#pragma GCC visibility push(default)\nint f(int);", "* #pragma"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct argv marked = {0};
    struct cxx_text t;
    cxx_lex(&t, rows[i][0], strlen(rows[i][0]));
    visibility_marks(&marked, &t);
    cxx_text_free(&t);
    is(rows[i][0], rows[i][1], marked.n ? marked.args[0] : "");
    argv_free(&marked);
  }
}

int main(void) {
  test_marked();
  test_texts();
  test_headers();
  test_expanded();
  test_header_macros();
  test_compared();
  test_symbols();
  test_fits();
  test_parameters();
  return bad;
}
