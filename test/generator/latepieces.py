"""What can stand in a unit that may be late (docs/units.md): one row for each form, and what calls it.

In a row, `@` is the row's number in the build, so that its names are its own, and `$(a$|b$)` is one of
the choices. `note(x)` is a function of each unit: it computes something, and would launch a kernel.

A row has text for several files of one build:

    header   lib.h, which each unit and the caller include
    unit     the unit
    sibling  another unit, or the same if there is one alone
    host     the caller's definitions, in front of its function that calls
    calls    expressions of type long: the caller shows each, and a program outside the library, too
    inside   the same, for the caller alone
    outside  the same, for a program outside the library alone
    files    further files, by name
    flags    words of the command line of the unit
    nvcc     what is passed to nvcc alone, `-Xcompiler` included

`late` is False if the unit has to be made with its library by docs/units.md, None if that is not
promised; `sibling_late` is the same for the unit that has `sibling`.
"""

from dataclasses import dataclass, field


@dataclass
class Row:
    name: str
    unit: str = ""
    calls: tuple = ()
    header: str = ""
    sibling: str = ""
    host: str = ""
    inside: tuple = ()
    outside: tuple = ()
    files: dict = field(default_factory=dict)
    flags: tuple = ()
    late: object = True
    sibling_late: object = True
    weight: int = 2
    hides: bool = True  # it can be in a build with hidden visibility


ROWS = []


def row(name, unit="", calls=(), **more):
    ROWS.append(Row(name, unit, (calls,) if isinstance(calls, str) else tuple(calls), **more))


# ---- plain functions and namespaces

row("function", "long f@(long x) { return note(x); }", "f@(3)", header="long f@(long x);", weight=6)
row("undeclared", "long f@(long x) { return note(x); }", "f@(3)", host="long f@(long x);")
for space in ("a", "b", "a::b", "outer_@"):
    row("namespace " + space, f"namespace {space} {{ long f@(long x) {{ return note(x + 1); }} }}", f"{space}::f@(4)",
        header=f"namespace {space} {{ long f@(long); }}")
row("nested namespaces", "namespace a { namespace b { long f@(long x) { return note(x); } } }", "a::b::f@(1)",
    header="namespace a::b { long f@(long); }")
row("inline namespace", "inline namespace v@ { long f@(long x) { return note(x); } }", "f@(2)",
    header="inline namespace v@ { long f@(long); }")
row("inline namespace within", "namespace n@ { long f@(long x) { return note(x); } }", "n@::f@(2)",
    header="namespace n@ { inline namespace v1 { long f@(long); } }", late=None)
row("qualified", "long a::f@(long x) { return note(x); }", "a::f@(2)", header="namespace a { long f@(long); }")
row("alias of a namespace", "namespace n@ = a::b; long n@::f@(long x) { return note(x); }", "a::b::f@(2)",
    header="namespace a::b { long f@(long); }", late=None)
row("using", "using namespace n@; long n@::f@(long x) { return note(x) + g@(x); }\nlong n@::g@(long x) { return x; }",
    ("n@::f@(2)", "n@::g@(2)"), header="namespace n@ { long f@(long); long g@(long); }")
row("same name in two namespaces",
    "namespace one@ { long same@(long x) { return note(x); } }\nnamespace two@ { long same@(long x) { return note(x + 5); } }",
    ("one@::same@(2)", "two@::same@(2)"), header="namespace one@ { long same@(long); } namespace two@ { long same@(long); }")
row("same name in two units", "namespace one@ { long same@(long x) { return note(x); } }", ("one@::same@(2)", "two@::same@(2)"),
    header="namespace one@ { long same@(long); } namespace two@ { long same@(long); }",
    sibling="namespace two@ { long same@(long x) { return note(x + 7); } }")
row("many units, one name", "long unit_a@::run(long x) { return note(x); }", ("unit_a@::run(2)", "unit_b@::run(3)"),
    header="struct unit_a@ { static long run(long); }; struct unit_b@ { static long run(long); };",
    sibling="long unit_b@::run(long x) { return note(x + 7); }")

# ---- heads

for name, head in [
    ("auto", "auto f@(long x) -> long"), ("noexcept", "long f@(long x) noexcept"), ("nodiscard", "[[nodiscard]] long f@(long x)"),
    ("attribute", "__attribute__((noinline)) long f@(long x)"), ("attribute behind the type", "long __attribute__((noinline, cold)) f@(long x)"),
    ("visibility", '__attribute__((visibility("default"))) long f@(long x)'), ("long type", "unsigned long long int f@(long x)"),
    ("host", "__host__ long f@(long x)"), ("const parameter", "long f@(const long x)"), ("extern", "extern long f@(long x)"),
    ("pointer", "const char *f@(long x)"), ("reference", "const long &f@(long x)"),
]:
    result = {"pointer": 'return note(x) > 4 ? "many" : "few";', "reference": "static long kept; kept = note(x); return kept;"}.get(name, "return (long)note(x);")
    call = "(long)*f@(7)" if name == "pointer" else "(long)f@(7)"
    declared = head.replace("__host__ ", "").replace("extern ", "").replace("const long x", "long x").replace("__attribute__((noinline, cold))", "").replace("[[nodiscard]] ", "")
    row("head: " + name, head + " { " + result + " }", call, header=declared + ";")
row("head: lines", "long\nf@(\n  long x\n)\n{\n  return note(x);\n}", "f@(7)", header="long f@(long x);")
row("head: comments", "/* long g@() { */ long // {\nf@ /* ( */ (long x) { return note(x); } // }", "f@(7)", header="long f@(long x);")
row("head: function pointer", "long (*f@(long x))(long) { static auto l = [](long y) { return y + 1; }; return note(x) ? +l : nullptr; }",
    "f@(7)(1)", header="long (*f@(long x))(long);", late=None)
row("head: returns an array", "static long rows@[2]; long (&f@(long x))[2] { rows@[1] = note(x); return rows@; }",
    "f@(7)[1]", header="long (&f@(long x))[2];", late=None)
row("head: decltype", "decltype(sizeof 1) f@(long x) { return note(x); }", "(long)f@(7)", header="decltype(sizeof 1) f@(long x);", late=None)
row("head: try", "long f@(long x) try { return note(x); } catch (...) { return 1; }", "f@(7)", header="long f@(long x);")
row("head: variadic", '#include <cstdarg>\nlong f@(int n, ...) { va_list l; va_start(l, n); long s = note(n); while (n--) s += va_arg(l, int) * (long)va_arg(l, double); va_end(l); return s; }',
    "f@(2, 3, 1.5, 4, 6.5)", header="long f@(int n, ...);")
row("head: default argument", "long f@(long x, long y) { return note(x) + y; }", ("f@(1)", "f@(1, 2)"), header="long f@(long x, long y = 4);")
row("head: constexpr", "constexpr long g@(long x) { return x + 1; }\nlong f@(long x) { return note(g@(x)); }", "f@(1)", header="long f@(long);")
row("head: declared within", "long f@(long x) { long g@(long); return note(x) + g@(x); }\nlong g@(long x) { return x + 2; }", "f@(1)",
    header="long f@(long);", late=None)
row("head: static first", "static long g@(long x);\nlong f@(long x) { return note(x) + g@(x); }\nlong g@(long x) { return x * 2; }", "f@(1)",
    header="long f@(long);", late=None)
row("head: inline first", "inline long g@(long x);\nlong f@(long x) { return note(x) + g@(x); }\nlong g@(long x) { return x * 2; }", "f@(1)",
    header="long f@(long);", late=None)
row("head: other name by assembler", "long f@(long x) { return note(x); }", "f@(1)", header='long f@(long) asm("label@");', late=None)
row("parameters: big and small", "big@ f@(big@ b, float a, double c, long double d, const char *s, char e, short g, long h, long i, __int128 j) "
    "{ b.v[3] += note((long)(a + c + d) + s[0] + e + g + h + i + (long)j); return b; }", 'f@({{1, 2, 3, 4, 5}}, 1.5f, 2.5, 3.5L, "s", \'c\', 4, 5, 6, 7).v[3]',
    header="struct big@ { long v[5]; };\nbig@ f@(big@, float, double, long double, const char *, char, short, long, long, __int128);")
row("parameters: complex", "#include <complex>\nstd::complex<double> f@(std::complex<float> x, bool b) { return {b * (double)note((long)x.real()), x.imag()}; }",
    "(long)(f@({3, 4}, true).real() * f@({1, 2}, true).imag())", header="#include <complex>\nstd::complex<double> f@(std::complex<float>, bool);")
row("parameters: string", "std::string f@(const std::string &s) { return s + std::to_string(note((long)s.size())); }", '(long)f@("abc").size()',
    header="#include <string>\nstd::string f@(const std::string &);")
row("parameters: function", "long f@(long (*g)(long)) { return note(g(5)); }", "f@([](long x) { return x + 1; })", header="long f@(long (*)(long));")
row("parameters: callback", "#include <functional>\nlong f@(const std::function<long(long)> &g) { return note(g(5)); }", "f@([](long x) { return x + 1; })",
    header="#include <functional>\nlong f@(const std::function<long(long)> &);")

# ---- overloads, templates

row("overloads", "long f@(long x) { return note(x); }\nlong f@(double x) { return note((long)(x * 4)); }\nlong f@(const char *s) { return note(*s); }",
    ("f@(1L)", "f@(1.5)", 'f@("x")'), header="long f@(long); long f@(double); long f@(const char *);")
row("overloads in two units", "long f@(long x) { return note(x); }", ("f@(1L)", "f@(1.5)"), header="long f@(long); long f@(double);",
    sibling="long f@(double x) { return note((long)(x * 4)); }", late=None, sibling_late=None)
row("overload of the caller", "long f@(long x) { return note(x); }", ("f@(1L)", "f@(1.5)"), header="long f@(long); long f@(double);",
    host="long f@(double x) { return (long)x + 1; }")
row("overload with templates", "template <class T> long f@(T x) { return note((long)x * 2); }\ntemplate long f@<int>(int);\nlong f@(long x) { return note(x); }",
    ("f@(1L)", "f@(1)"), header="long f@(long); template <class T> long f@(T);")
row("template", "template <class T> long f@(T x) { return note((long)x * 2); }\ntemplate long f@<int>(int);\ntemplate long f@(float);",
    ("f@(1)", "f@(2.5f)"), header="template <class T> long f@(T);")
row("template of numbers", "template <int N, bool B> long f@() { return note(N + B); }\ntemplate long f@<1, true>();\ntemplate long f@<2, false>();",
    ("f@<1, true>()", "f@<2, false>()"), header="template <int N, bool B> long f@();")
row("template in two units", "template <int N> long f@() { return note(N); }\ntemplate long f@<1>();", ("f@<1>()", "f@<2>()"),
    header="template <int N> long f@();", sibling="template <int N> long f@() { return note(N); }\ntemplate long f@<2>();", late=None, sibling_late=None)
row("template with a body in the header", "template long f@<1>(long);", "f@<1>(2)",
    header="template <int N> long f@(long x) { return x + N; }\nextern template long f@<1>(long);", late=None)
row("specialisation", "template <> long f@<3>(long x) { return note(x); }", "f@<3>(2)", header="template <int N> long f@(long x);")
row("specialisation beside a body", "template <> long f@<3>(long x) { return note(x); }", ("f@<3>(2)", "f@<4>(2)"),
    header="template <int N> long f@(long x) { return x + N; }\ntemplate <> long f@<3>(long);", late=None)
row("template of a class", "template <class T> long c@<T>::get(T x) const { return note((long)x + n); }\ntemplate <class T> c@<T>::c@(int n) : n(n) {}\ntemplate struct c@<long>;",
    "c@<long>(3).get(2)", header="template <class T> struct c@ { int n; c@(int n); long get(T x) const; };")
row("members of a template", "template <class T> long c@<T>::get(T x) { return note((long)x); }\ntemplate long c@<int>::get(int);\ntemplate long c@<long>::get(long);",
    ("c@<int>().get(2)", "c@<long>().get(3)"), header="template <class T> struct c@ { long get(T x); };")
row("template of an operator", "template <class T> c@<T> c@<T>::operator+(T x) const { return {(T)note((long)(v + x))}; }\ntemplate struct c@<long>;",
    "(c@<long>{3} + 4).v", header="template <class T> struct c@ { T v; c@ operator+(T x) const; };", late=None)
row("template with a class as its argument", "template <class T> long f@(const T &x) { return note(x.v); }\ntemplate long f@(const n@::c &);",
    "f@(n@::c{3})", header="namespace n@ { struct c { long v; }; } template <class T> long f@(const T &);")
row("specialised class", "template <> struct c@<1> { long get(long x); };\nlong c@<1>::get(long x) { return note(x); }\nlong f@(long x) { return c@<1>().get(x); }", "f@(3)",
    header="template <int N> struct c@; long f@(long);", late=None)
row("variable template", "template <int N> static long level@ = N * 2;\nlong f@(long x) { return note(x + level@<3>); }", "f@(3)", header="long f@(long);", late=None)

# ---- macros

row("macro: function", "#define MAKE@(n) long f@_##n(long x) { return note(x + n); }\nMAKE@(1)\nMAKE@(2)\n#undef MAKE@",
    ("f@_1(3)", "f@_2(3)"), header="long f@_1(long); long f@_2(long);")
row("macro: function of the header", "MAKE@(1)\nMAKE@(2)", ("f@_1(3)", "f@_2(3)"),
    header="long f@_1(long); long f@_2(long);\n#define MAKE@(n) long f@_##n(long x) { return note(x + n); }")
row("macro: namespace", "#define NS@ space@\nnamespace NS@ { long f@(long x) { return note(x); } }", "space@::f@(3)",
    header="namespace space@ { long f@(long); }", late=None)
row("macro: namespace of the header", "namespace NS@ { long f@(long x) { return note(x); } }", "space@::f@(3)",
    header="#define NS@ space@\nnamespace space@ { long f@(long); }", late=None)
row("macro: open and close", "#define OPEN@ namespace a { namespace b {\n#define CLOSE@ } }\nOPEN@\nlong f@(long x) { return note(x); }\nCLOSE@", "a::b::f@(3)",
    header="namespace a::b { long f@(long); }", late=None)
row("macro: open and close of the header", "OPEN@\nlong f@(long x) { return note(x); }\nCLOSE@", "a::b::f@(3)",
    header="#define OPEN@ namespace a { namespace b {\n#define CLOSE@ } }\nnamespace a::b { long f@(long); }", late=None)
row("macro: brace", "#define BRACE@ {\nlong f@(long x) BRACE@ return note(x); }", "f@(3)", header="long f@(long);", late=None)
row("macro: brace of the header", "namespace a BRACE@ long f@(long x) { return note(x); } }", "a::f@(3)", header="#define BRACE@ {\nnamespace a { long f@(long); }", late=None)
row("macro: export", "API@ long f@(long x) { return note(x); }", "f@(3)",
    header='#define API@ $(__attribute__((visibility("default")))$|$|__attribute__((noinline))$)\nAPI@ long f@(long);')
row("macro: C linkage", "C@ long f@(long x) { return note(x); }", "f@(3)", header='#define C@ extern "C"\nC@ long f@(long);')
row("macro: C linkage around", 'BEGIN_C@\nlong f@(long x) { return note(x); }\nEND_C@', "f@(3)",
    header='#define BEGIN_C@ extern "C" {\n#define END_C@ }\nBEGIN_C@\nlong f@(long);\nEND_C@', late=None)
row("macro: body", "#define BODY@(e) { return note(e); }\nlong f@(long x) BODY@(x + 2)", "f@(3)", header="long f@(long);", late=None)
row("macro: head", "#define HEAD@(name) long name(long x)\nHEAD@(f@) { return note(x + 2); }", "f@(3)", header="long f@(long);", late=None)
row("macro: head of the header", "HEAD@(f@) { return note(x + 2); }", "f@(3)", header="#define HEAD@(name) long name(long x)\nlong f@(long);", late=None)
row("macro: another name", "#define f@ real_f@\nlong f@(long x) { return note(x); }\n#undef f@", "real_f@(3)", header="long real_f@(long);", late=None)
row("macro: another name of the header", "long f@(long x) { return note(x); }", "f@(3)", header="#define f@ real_f@\nlong f@(long);", late=None)
row("macro: another namespace of the header", "namespace f@ { long g(long x) { return note(x); } }", "f@::g(3)", header="#define f@ real_f@\nnamespace f@ { long g(long); }", late=None)
row("macro: of the command line", "long NAME@(long x) { return note(x); }", "f@(3)", header="long f@(long);", flags=("-DNAME@=f@",), late=None)
row("macro: pasted, of the command line", "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\nlong CAT(f@_, KIND@)(long x) { return note(x); }\n#undef CAT\n#undef CAT_", "f@_half(3)",
    header="long f@_half(long);", flags=("-DKIND@=half",), late=None)
row("macro: class", "#define CLASS@ c@\nlong CLASS@::get(long x) { return note(x); }", "c@().get(2)", header="struct c@ { long get(long); };", late=None)
row("macro: list", "#define LIST@(X) X(1) X(2) X(3)\n#define MAKE@(n) template long f@<n>(long);\ntemplate <int N> long f@(long x) { return note(x + N); }\nLIST@(MAKE@)",
    ("f@<1>(3)", "f@<3>(3)"), header="template <int N> long f@(long);", late=None)
row("macro: type", "#define T@ long\nT@ f@(T@ x) { return note(x); }", "f@(3)", header="long f@(long);")
row("macro: variable", "#define COUNT@ long count@ = 4;\nCOUNT@\nlong f@(long x) { return note(x + count@++); }", ("f@(3)", "count@"), header="long f@(long); extern long count@;", late=False)
row("macro: variable of the header", "DEFINE@(count@, 4)\nlong f@(long x) { return note(x + count@++); }", ("f@(3)", "count@"),
    header="#define DEFINE@(n, v) long n = v;\nlong f@(long); extern long count@;", late=False)
row("macro: statement", "#define CHECK@(e) do { if (!(e)) return -1L; } while (0)\nlong f@(long x) { CHECK@(x > 0); return note(x); }", ("f@(3)", "f@(-3)"), header="long f@(long);")
row("macro: registers", "REGISTER@(f@)\nlong f@(long x) { return note(x); }", "f@(3)",
    header='long enrol(const char *, long (*)(long));\n#define REGISTER@(f) long f(long); static long enrolled_##f = enrol(#f, f);\nlong f@(long);', late=False)
row("macro: nothing", "NOTHING@\nlong f@(long x) { return note(x); }", "f@(3)", header="#define NOTHING@\nlong f@(long);", late=None)
row("macro: semicolon", "EMPTY@;\nlong f@(long x) { return note(x); }\n;", "f@(3)", header="#define EMPTY@\nlong f@(long);", late=None)

# ---- conditionals

row("if: one of two", "#if defined(NOT_DEFINED)\nlong f@(long x) { return 0; }\n#else\nlong f@(long x) { return note(x); }\n#endif", "f@(3)", header="long f@(long);")
row("if: head", "#ifdef NOT_DEFINED\nlong f@(int x) {\n#else\nlong f@(long x) {\n#endif\n  return note(x);\n}", "f@(3)", header="long f@(long);", late=None)
row("if: not C++", "#ifndef __cplusplus\nthis is ) no } code\n#endif\nlong f@(long x) { return note(x); }", "f@(3)", header="long f@(long);", late=None)
row("if: zero", "#if 0\nit's ) no } code\n#endif\nlong f@(long x) { return note(x); }", "f@(3)", header="long f@(long);")
row("if: of the command line", "#ifdef WITH@\nlong f@(long x) { return note(x); }\n#endif", "f@(3)", header="long f@(long);", flags=("-DWITH@",))
row("if: variable that is not there", "#ifdef NOT_DEFINED\nlong level@ = 4;\n#endif\nlong f@(long x) { return note(x); }", "f@(3)", header="long f@(long);", late=None)
row("if: registers nothing", "#ifdef NOT_DEFINED\nstatic long e@ = enrol(\"@\", nullptr);\nREGISTER(@)\n#endif\nlong f@(long x) { return note(x); }", "f@(3)", header="long f@(long);", late=None)
row("if: brace", "#ifdef NOT_DEFINED\nnamespace a {\n#else\nnamespace b {\n#endif\nlong f@(long x) { return note(x); }\n}", "b::f@(3)", header="namespace b { long f@(long); }", late=None)
row("if: within", "long f@(long x) {\n#if 1\n  return note(x);\n#else\n  return 0; }\n#endif\n}", "f@(3)", header="long f@(long);", late=None)
row("if: device", "#ifndef __CUDA_ARCH__\nlong f@(long x) { return note(x); }\n#endif", "f@(3)", header="long f@(long);")
row("if: has nvcc", "#ifdef __CUDACC__\nlong f@(long x) { return note(x); }\n#else\n#error no\n#endif", "f@(3)", header="long f@(long);")

# ---- C linkage

row("C", 'extern "C" long f@(long x) { return note(x); }', "f@(3)", header='extern "C" long f@(long);', weight=3)
row("C block", 'extern "C" {\nlong f@(long x) { return note(x); }\nstatic long g@(long x) { return x; }\nlong h@(long x) { return g@(x); }\n}', ("f@(3)", "h@(2)"),
    header='extern "C" { long f@(long); long h@(long); }')
row("C in a namespace", 'namespace a { extern "C" long f@(long x) { return note(x); } }', "a::f@(3)", header='namespace a { extern "C" long f@(long); }')
row("C, declared so in the header", "long f@(long x) { return note(x); }", "f@(3)", header='extern "C" long f@(long);', late=None)
row("C variable", 'extern "C" { long count@ = 4; }\nlong f@(long x) { return note(x + count@++); }', ("f@(3)", "count@"),
    header='extern "C" long count@; long f@(long);', late=False)
row("C name of the standard library", 'extern "C" long abs_@(long x) { return note(x); }\nnamespace n@ { long read(long x) { return note(x + 1); } long puts(long x) { return x; } }',
    ("abs_@(3)", "n@::read(2)", "n@::puts(2)"), header='extern "C" long abs_@(long); namespace n@ { long read(long); long puts(long); }', late=None)
row("replaces a function of a library", 'extern "C" double drem(double a, double b) { return (double)note((long)(a + b)); }', inside=("(long)drem(5, 3)",),
    host='extern "C" double drem(double, double);', late=None, weight=1, hides=False)
row("alias", 'extern "C" long f@(long x) { return note(x); }\nextern "C" long g@(long x) __attribute__((alias("f@")));', ("f@(3)", "g@(4)"),
    header='extern "C" long f@(long); extern "C" long g@(long);', late=None)
row("weak", "__attribute__((weak)) long f@(long x) { return note(x); }", "f@(3)", header="long f@(long);", late=None)
row("weak, by the header", "long f@(long x) { return note(x); }", "f@(3)", header="__attribute__((weak)) long f@(long);", late=None)
row("weak, overridden by the caller", "__attribute__((weak)) long f@(long x) { return note(x); }\nlong g@(long x) { return f@(x); }", ("f@(3)", "g@(3)"), header="long f@(long); long g@(long);",
    host="long f@(long x) { return x + 9; }", late=None)
row("overrides a weak one of the caller", "long f@(long x) { return note(x); }", "f@(3)", header="long f@(long);",
    host="__attribute__((weak)) long f@(long x) { return x + 9; }", late=None)
row("weak in two units", "__attribute__((weak)) long f@(long x) { return note(x); }", "f@(3)", header="long f@(long);",
    sibling="long f@(long x) { return note(x) + 9; }", late=None, sibling_late=None, weight=1)

# ---- variables

row("variable", "long count@ = 4;\nlong f@(long x) { return note(x + count@++); }", ("f@(3)", "count@"), header="long f@(long); extern long count@;", late=False)
row("static variable", "static long count@ = 4;\nlong f@(long x) { return note(x + count@++); }", ("f@(3)", "f@(3)"), header="long f@(long);")
row("static variable of a function", "long f@(long x) { static long count = 4; return note(x + count++); }", ("f@(3)", "f@(3)"), header="long f@(long);")
row("static vector", "#include <vector>\nstatic std::vector<long> list@;\nlong f@(long x) { list@.push_back(x); return note((long)list@.size()); }", ("f@(3)", "f@(3)"), header="long f@(long);", late=None)
row("constants", "const long one@ = 1; constexpr long two@ = 2; static const char *const words@[] = {\"a\", \"bc\"}; namespace { enum { three@ = 3 }; }\n"
    "long f@(long x) { return note(x + one@ + two@ + three@ + words@[1][1]); }", "f@(3)", header="long f@(long);")
row("constant, declared external by the header", "const long count@ = 4;\nlong f@(long x) { return note(x + count@); }", ("f@(3)", "count@"),
    header="long f@(long); extern const long count@;", late=None)
row("constexpr, declared external by the header", "constexpr long count@ = 4;\nlong f@(long x) { return note(x + count@); }", ("f@(3)", "count@"),
    header="long f@(long); extern const long count@;", late=None)
row("table, declared external by the header", 'const char *const names@[2] = {"a", "b"};\nlong f@(long x) { return note(x); }', ("f@(3)", "names@[1][0]"),
    header="long f@(long); extern const char *const names@[2];", late=None)
row("external constant", "extern const long count@ = 4;\nlong f@(long x) { return note(x + count@); }", ("f@(3)", "count@"), header="long f@(long); extern const long count@;", late=False)
row("member", "long c@::count = 4;\nlong f@(long x) { return note(x + c@::count++); }", ("f@(3)", "c@::count"), header="struct c@ { static long count; }; long f@(long);", late=False)
row("constant member", "const long c@::count = 4;\nlong f@(long x) { return note(x + c@::count); }", ("f@(3)", "c@::count"), header="struct c@ { static const long count; }; long f@(long);", late=None)
row("constant member, given in the class", "const long c@::count;\nlong f@(long x) { return note(x + c@::count); }", ("f@(3)", "*&c@::count"), header="struct c@ { static const long count = 4; }; long f@(long);", late=None)
row("constant member of a template", "template <class T> const long c@<T>::count = sizeof(T);\ntemplate struct c@<long>;\nlong f@(long x) { return note(x + c@<long>::count); }",
    ("f@(3)", "c@<long>::count"), header="template <class T> struct c@ { static const long count; }; long f@(long);", late=None)
row("thread_local", "thread_local long count@ = 4;\nlong f@(long x) { return note(x + count@++); }", ("f@(3)", "count@"), header="long f@(long); extern thread_local long count@;", late=False)
row("inline variable", "long f@(long x) { return note(x + count@++); }", ("f@(3)", "count@++", "f@(3)"), header="long f@(long); inline long count@ = 4;", late=None)
row("inline variable in two units", "long f@(long x) { return note(x + count@++); }", ("f@(3)", "g@(3)", "f@(3)"), header="long f@(long); long g@(long); inline long count@ = 4;",
    sibling="long g@(long x) { return note(x + 10 * count@++); }", late=None, sibling_late=None)
row("variable of its own", "long count@ = 4; namespace own_@ { long list[2] = {1, 2}; }\nlong f@(long x) { return note(x + count@++ + (own_@::list[1] += x)); }", ("f@(3)", "f@(3)"), header="long f@(long);", late=None)
row("thread_local of its own", "thread_local long count@ = note(4);\nlong f@(long x) { return note(x + count@++); }", ("f@(3)", "f@(3)"), header="long f@(long);", late=None)
row("variable of another unit", "long f@(long x) { return note(x + count@++); }", ("f@(3)", "g@(3)", "f@(3)"), header="long f@(long); long g@(long); extern long count@;",
    sibling="long count@ = 4;\nlong g@(long x) { return note(x + 10 * count@++); }", late=None, sibling_late=None)
for kind in ("thread_local", '__attribute__((visibility("hidden")))', "static thread_local"):
    row("inline variable, " + kind, "long f@(long x) { return note(x + count@++); }", ("f@(3)", "g@(3)", "f@(3)"), header=f"long f@(long); long g@(long); inline {kind} long count@ = 4;",
        sibling="long g@(long x) { return note(x + 10 * count@++); }", host="long h@(long x) { return x + count@++; }", inside=("h@(3)",), late=None, sibling_late=None)
row("thread_local in an inline function, in two units", "long f@(long x) { return note(x + next@()); }", ("f@(3)", "g@(3)", "f@(3)", "next@()"),
    header="long f@(long); long g@(long); inline long next@() { static thread_local long n = 2; return ++n; }", sibling="long g@(long x) { return note(x + 10 * next@()); }", late=None, sibling_late=None)
row("hidden class with a variable", "long f@(long x) { return note(x + c@::n++); }", ("f@(3)", "g@(3)", "f@(3)"),
    header='long f@(long); long g@(long); struct __attribute__((visibility("hidden"))) c@ { static inline long n = 4; };', sibling="long g@(long x) { return note(x + 10 * c@::n++); }", late=None, sibling_late=None)
row("static in an inline function", "long f@(long x) { return note(x + next@()); }", ("f@(3)", "next@()", "f@(3)"), header="long f@(long); inline long next@() { static long n; return ++n; }", late=None)
row("static in an inline function, in two units", "long f@(long x) { return note(x + next@()); }", ("f@(3)", "g@(3)", "f@(3)"),
    header="long f@(long); long g@(long); inline long next@() { static long n; return ++n; }", sibling="long g@(long x) { return note(x + 10 * next@()); }", late=None, sibling_late=None)
row("static member of a template", "long f@(long x) { return note(x + c@<int>::n++); }", ("f@(3)", "c@<int>::n++", "f@(3)"), header="long f@(long); template <class T> struct c@ { static long n; }; template <class T> long c@<T>::n = 3;", late=None)
row("variable of the caller", "long f@(long x) { return note(x + level@++); }", ("f@(3)", "level@"), header="long f@(long); extern long level@;", host="long level@ = 3;", late=False)
row("device variables", "static __device__ long d@[4]; __constant__ float c@; __device__ long e@ = 3;\nlong f@(long x) { return note(x); }", "f@(3)", header="long f@(long);")
row("unnamed namespace", "namespace { struct own@ { long v = 2; long get() const { return v; } }; long count@; long g@(const own@ &o) { return o.get() + count@++; } }\nlong f@(long x) { return note(x + g@(own@{})); }",
    ("f@(3)", "f@(3)"), header="long f@(long);")
row("lambda", "static const auto g@ = [](long x) { return x + 3; };\nlong f@(long x) { auto h = [&](long y) { return g@(x) * y; }; return note(h(2)); }", "f@(3)", header="long f@(long);", late=None)

# ---- initialisers

row("initialiser", 'long f@(long x) { return note(x); }\nstatic long e@ = enrol("f@", f@);', ("f@(3)", "enrolled()"), header="long f@(long);", late=False)
row("registrar", 'long f@(long x) { return note(x); }\nstatic registrar r@("f@", f@);', ("f@(3)", "enrolled()"), header="long f@(long);", late=False)
row("registrar, by a template", 'template <int N> struct reg@ { reg@() { enrol("reg@", nullptr); } };\nstatic reg@<3> r@;\nlong f@(long x) { return note(x); }', ("f@(3)", "enrolled()"), header="long f@(long);", late=False)
row("initialiser of a lambda", 'static long e@ = [] { return enrol("lambda@", nullptr); }();\nlong f@(long x) { return note(x + e@); }', ("f@(3)", "enrolled()"), header="long f@(long);", late=False)
row("constructor attribute", '__attribute__((constructor)) static void begin@() { enrol("begin@", nullptr); }\nlong f@(long x) { return note(x); }', ("f@(3)", "enrolled()"), header="long f@(long);", late=False)
row("static member with a constructor", 'struct own@ { static registrar r; };\nregistrar own@::r("own@", nullptr);\nlong f@(long x) { return note(x); }', ("f@(3)", "enrolled()"), header="long f@(long);", late=False)
row("initialiser of a header", '#include "enrols@.h"\nlong f@(long x) { return note(x); }', ("f@(3)", "enrolled()"), header="long f@(long);", files={"enrols@.h": 'static registrar r@("header@", nullptr);\n'}, late=False)
row("initialiser in a function", 'long f@(long x) { static registrar r("f@", nullptr); return note(x); }', ("enrolled()", "f@(3)", "enrolled()"), header="long f@(long);", late=None)
row("initialiser of an inline variable", "long f@(long x) { return note(x + r@.n); }", ("f@(3)", "enrolled()"), header='inline registrar r@("inline@", nullptr); long f@(long);', late=False)

# ---- classes

row("class", "c@::c@(long n) : n(note(n)) {}\nc@::~c@() { n = 0; }\nlong c@::get(long x) const { return n + x; }\nlong c@::once() { return 4; }",
    ("c@(3).get(1)", "c@::once()"), header="struct c@ { long n; c@(long n); ~c@(); long get(long) const; static long once(); };", weight=3)
row("class in a namespace", "namespace a { c@::c@(long n) : n(note(n)) {}\nlong c@::in::get(long x) { return note(x); } }", ("a::c@(3).n", "a::c@::in().get(3)"),
    header="namespace a { struct c@ { long n; c@(long n); struct in { long get(long); }; }; }")
row("operators", "c@ operator+(c@ a, c@ b) { return {note(a.v + b.v)}; }\nlong c@::operator()(long x) const { return note(x + v); }\nlong c@::operator[](long x) { return v - x; }\nc@::operator long() const { return note(v); }\nc@ &c@::operator+=(long x) { v += x; return *this; }",
    ("(c@{1} + c@{2}).v", "c@{1}(2)", "c@{1}[2]", "(long)c@{5}"), header="struct c@ { long v; long operator()(long) const; long operator[](long); operator long() const; c@ &operator+=(long); }; c@ operator+(c@, c@);", late=None)
row("literal", 'long operator""_u@(unsigned long long x) { return note((long)x); }', "3_u@", header='long operator""_u@(unsigned long long);', late=None)
row("virtual table", "long c@::get(long x) { return note(x); }\nc@::~c@() {}", ("c@().get(3)", "[] { c@ c; c@ &r = c; return r.get(4); }()"), header="struct c@ { virtual long get(long); virtual ~c@(); };", late=False)
row("derived class of the unit", "namespace { struct own@ : base@ { long get(long x) override { return note(x); } }; }\nbase@ *make@() { static own@ o; return &o; }", "make@()->get(3)",
    header="struct base@ { virtual long get(long) { return 0; } virtual ~base@() {} }; base@ *make@();", late=None)
row("base of the caller", "namespace { struct own@ : base@ { long get(long x) override { return note(x) + base@::get(x); } }; }\nbase@ *make@() { static own@ o; return &o; }", "make@()->get(3)",
    header="struct base@ { virtual long get(long); virtual ~base@(); }; base@ *make@();", host="long base@::get(long x) { return x + 1; }\nbase@::~base@() {}", late=None)
row("dynamic_cast", "long f@(const base@ *b) { auto d = dynamic_cast<const derived@ *>(b); return note(d ? d->v : 0); }", "[] { derived@ d; d.v = 4; return f@(&d); }()",
    header="struct base@ { virtual ~base@() {} }; struct derived@ : base@ { long v; }; long f@(const base@ *);", late=None)
row("exception", "long f@(long x) { if (x > 2) throw boom@{note(x)}; return note(x); }", ("f@(1)", "[] { try { return f@(3); } catch (const boom@ &b) { return b.v + 1000; } }()"),
    header="struct boom@ { long v; }; long f@(long);", late=None)
row("standard exception", '#include <stdexcept>\nlong f@(long x) { if (x > 2) throw std::runtime_error("no"); return note(x); }', ("f@(1)", "[] { try { return f@(3); } catch (const std::exception &b) { return (long)b.what()[0]; } }()"),
    header="#include <stdexcept>\nlong f@(long);")
row("exception of the caller passes", "long f@(long (*g)(long)) { struct guard { ~guard() { note(1); } } at; return note(g(1)); }", "[] { try { return f@([](long) -> long { throw 5; }); } catch (int n) { return n + 1000L; } }()",
    header="long f@(long (*)(long));")
row("exception catched in the unit", "long f@(long (*g)(long)) { try { return g(note(1)); } catch (const boom@ &b) { return b.v; } }", "f@([](long x) -> long { throw boom@{x}; })",
    header="struct boom@ { long v; }; long f@(long (*)(long));", late=None)
row("type_info", "#include <typeinfo>\nconst std::type_info &f@(long x) { note(x); return typeid(type@); }", "f@(1) == typeid(type@)",
    header="#include <typeinfo>\nstruct type@ { long v; }; const std::type_info &f@(long);", late=None)
row("friend", "long get@(const c@ &c) { return note(c.v); }\nc@ make@(long x) { c@ c; c.v = x; return c; }", "get@(make@(3))",
    header="class c@ { long v; friend long get@(const c@ &); friend c@ make@(long); }; long get@(const c@ &); c@ make@(long);")
row("hidden data", "struct c@::impl { long v; };\nc@::c@() : p(new impl{note(2)}) {}\nc@::~c@() { delete p; }\nlong c@::get() const { return p->v; }", "c@().get()",
    header="class c@ { struct impl; impl *p; public: c@(); ~c@(); long get() const; };")
row("default members", "c@::c@() = default;\nc@::~c@() = default;\nlong c@::get() { return note(n); }", "c@().get()", header="struct c@ { long n = 3; c@(); ~c@(); long get(); };", late=None)
row("unique_ptr", "std::unique_ptr<c@> make@(long x) { return std::unique_ptr<c@>(new c@{note(x)}); }", "make@(3)->v", header="#include <memory>\nstruct c@ { long v; }; std::unique_ptr<c@> make@(long);")

row("class, derived from", "c@::c@(long x) : n(note(x)) {}\nc@::~c@() { n = 0; }\nlong c@::get(c@ &o) const { return n + o.n; }", "[] { c@ c(3); return c.get(c); }()", header="struct c@ { long n; c@(long); ~c@(); long get(c@ &) const; };",
    outside=("[] { struct d : c@ { d() : c@(3) {} } d; return d.get(d); }()",))
row("thunk", "long d@::get(long x) { return note(x + n); }", "[] { d@ d; b@ &b = d; return b.get(3); }()", host="long d@::key() { return 2; }", late=None,
    header="struct a@ { long n = 1; virtual long key() { return 1; } }; struct b@ { virtual long get(long x) { return x; } }; struct d@ : a@, b@ { long key() override; long get(long) override; };")

# ---- siblings

row("calls a sibling", "long f@(long x) { return note(x + g@(x)); }", ("f@(3)", "g@(3)"), header="long f@(long); long g@(long);", sibling="long g@(long x) { return note(x + 1); }", late=None)
row("siblings call each other", "long f@(long x) { return x > 0 ? note(g@(x - 1)) : 0; }", ("f@(3)", "g@(3)"), header="long f@(long); long g@(long);", sibling="long g@(long x) { return x > 0 ? note(f@(x - 1)) : 1; }", late=None, sibling_late=None)
row("calls a sibling by a macro", "long f@(long x) { return note(x + CALL@(x)); }", "f@(3)", header="#define CALL@(x) g@(x)\nlong f@(long); long g@(long);", sibling="long g@(long x) { return note(x + 1); }", late=None)
row("calls a sibling by a macro, declared in one line", "long f@(long x) { return note(x + CALL@(x)); }", "f@(3)", header="#define CALL@(x) g@(x)\nlong f@(long), g@(long);", sibling="long g@(long x) { return note(x + 1); }", late=None)
row("calls a sibling by a macro, not declared", "long g@(long);\nlong f@(long x) { return note(x + CALL@(x)); }", "f@(3)", header="#define CALL@(x) g@(x)\nlong f@(long);", sibling="long g@(long x) { return note(x + 1); }", late=None)
row("calls a sibling by a header", "long f@(long x) { return note(x + h@(x)); }", "f@(3)", header="long f@(long); long g@(long); inline long h@(long x) { return g@(x); }", sibling="long g@(long x) { return note(x + 1); }", late=None)
row("calls the caller", "long f@(long x) { return note(x + g@(x)); }", "f@(3)", header="long f@(long); long g@(long);", host="long g@(long x) { return x + 1; }", late=None)
row("calls the caller by a template", "long f@(long x) { return note(x + h@<2>(x)); }", "f@(3)", header="long f@(long); long g@(long); template <int N> long h@(long x) { return g@(x) + N; }", host="long g@(long x) { return x + 1; }", late=None)
row("calls the caller by an operator", "long f@(long x) { return note(c@{x} * 3); }", "f@(3)", header="struct c@ { long v; }; long operator*(c@, int); long f@(long);", host="long operator*(c@ c, int n) { return c.v * n; }", late=None)
row("calls the caller by a default argument", "long f@(long x) { return note(h@(x)); }", "f@(3)", header="long f@(long); long g@(); inline long h@(long x, long y = g@()) { return x + y; }", host="long g@() { return 17; }", late=None)
row("calls the caller by a declaration", "long f@(long x) { extern long g@(long); return note(g@(x)); }", "f@(3)", header="long f@(long);", host="long g@(long x) { return x + 1; }", late=None)
row("calls the caller by a conversion", "static long take@(long x) { return x; }\nlong f@(long x) { return note(take@(c@{x})); }", "f@(3)", header="struct c@ { long v; operator long() const; }; long f@(long);", host="c@::operator long() const { return v + 5; }", late=None)
row("calls the caller by a destructor", "long f@(long x) { { c@ c{x}; (void)c; } return note(x); }", "f@(3)", header="struct c@ { long v; ~c@(); }; long f@(long);", host="c@::~c@() {}", late=None)
row("a C function of the caller", "long f@(long x) { return note(g@(x)); }", "f@(3)", header='extern "C" long g@(long); long f@(long);', host='extern "C" long g@(long x) { return x + 1; }', late=None)
row("a hidden function of the caller", "long f@(long x) { return note(g@(x)); }", "f@(3)", header='__attribute__((visibility("hidden"))) long g@(long); long f@(long);', host="long g@(long x) { return x + 1; }", late=None)
row("a static table of the header", "long f@(long x) { return note(table@[0](x)); }", "f@(3)", header="long f@(long); long g@(long); static long (*const table@[])(long) = {g@};", host="long g@(long x) { return x + 1; }", late=None)
row("a kernel of a sibling", "__global__ void shared@(int *p) { *p = @; }\nlong f@(long x) { return note(x); }", ("f@(3)", "g@(3)"), header="long f@(long); long g@(long);\n#ifdef __CUDACC__\n__global__ void shared@(int *p);\n#endif",
    sibling="long g@(long x) { if (x == -77777) shared@<<<1, 1>>>(nullptr); return note(x + 1); }", late=None, sibling_late=None)

# ---- addresses

row("address, compared by the unit", "long f@(long x) { return note(x); }\nlong g@(long (*p)(long)) { return note(p == f@); }", ("g@(f@)", "g@(nullptr)"), header="long f@(long); long g@(long (*)(long));", late=None)
row("address, compared by the caller", "long f@(long x) { return note(x); }\nlong (*g@())(long) { return f@; }", ("g@() == f@", "g@()(2)"), header="long f@(long); long (*g@())(long);", late=None)
row("address, compared in a header", "long f@(long x) { return note(x); }\nlong g@(long (*p)(long)) { return note(is@(p)); }", ("g@(f@)", "is@(f@)"),
    header="long f@(long); long g@(long (*)(long)); inline bool is@(long (*p)(long)) { return p == f@; }", late=None)
row("address, compared by a macro", "long f@(long x) { return note(x); }\nlong g@(long (*p)(long)) { return note(IS@(p)); }", ("g@(f@)", "IS@(f@)"),
    header="#define IS@(p) ((p) == f@)\nlong f@(long); long g@(long (*)(long));", late=None)
row("address of a member", "long c@::get(long x) { return note(x); }\nbool g@(long (c@::*p)(long)) { return p == &c@::get; }", ("(c@().*&c@::get)(2)", "g@(&c@::get)"), header="struct c@ { long get(long); }; bool g@(long (c@::*)(long));", late=None)
row("address of a static function", "static long h@(long x) { return note(x); }\nlong (*f@())(long) { return h@; }", ("f@()(3)", "f@() == f@()"), header="long (*f@())(long);", late=None)
row("address of a sibling's", "bool f@(long (*p)(long)) { return p == g@; }", ("f@(g@)", "g@(2)"), header="bool f@(long (*)(long)); long g@(long);", sibling="long g@(long x) { return note(x); }", late=None)
row("table of functions", "static long one@(long x) { return note(x); }\nstatic long two@(long x) { return note(x + 1); }\nstatic long (*const table@[])(long) = {one@, two@};\nlong f@(long x) { return table@[x & 1](x); }", ("f@(3)", "f@(2)"), header="long f@(long);", late=None)
row("table of own functions", "long f@(long x) { return note(x); }\nstatic long (*const table@[])(long) = {f@};\nlong g@(long x) { return table@[0](x) + (table@[0] == f@); }", ("f@(3)", "g@(2)"), header="long f@(long); long g@(long);", late=None)
row("address of an inline function", "long f@(long (*p)(long)) { return note(p == h@); }", "f@(h@)", header="long f@(long (*)(long)); inline long h@(long x) { return x; }", late=None)
row("address of the caller's", "long f@(long (*p)(long)) { return note(p == g@); }", "f@(g@)", header="long f@(long (*)(long)); long g@(long);", host="long g@(long x) { return x; }", late=None)
row("address, taken of a specialisation", "template <> long t@<1>(long x) { return note(x); }\nlong g@(long (*p)(long)) { return note(p == t@<1>); }", ("g@(t@<1>)",), header="template <int> long t@(long); long g@(long (*)(long));", late=None)

# ---- others

row("hidden", '__attribute__((visibility("hidden"))) long f@(long x) { return note(x); }', inside=("f@(3)",), header='__attribute__((visibility("hidden"))) long f@(long);', late=None)
row("shown", "long f@(long x) { return note(x); }", "f@(3)", header='#define SHOWN@ __attribute__((visibility("default")))\n$(SHOWN@ long f@(long);$|long f@(long) SHOWN@;$|long f@(long) __attribute__((visibility("default")));$)')
row("shown class", "long c@::get(long x) { return note(x); }\nlong c@::once() { return note(v); }", ("c@{3}.get(3)", "c@{4}.once()"),
    header='struct __attribute__((visibility("default"))) c@ { long v; long get(long); long once(); };')
row("shown namespace", "namespace n@ { long f@(long x) { return note(x); } }", "n@::f@(3)", header='namespace n@ __attribute__((visibility("default"))) { long f@(long); }')
row("shown, and nobody calls it", "long f@(long x) { return note(x); }\nlong g@(long x) { return note(x); }", "g@(3)", header='__attribute__((visibility("default"))) long f@(long); long g@(long);', late=None)
row("C function that nobody calls", 'extern "C" long f@(long x) { return note(x); }\nlong g@(long x) { return note(x); }', "g@(3)", header='extern "C" long f@(long); long g@(long);', outside=("f@(2)",))
row("extern template", "template <class T> long t@(T x) { return note((long)x); }\ntemplate long t@(int);\ntemplate long t@(float);", ("t@(3)", "t@(2.5f)"),
    header="template <class T> long t@(T x); extern template long t@(int); extern template long t@(float);")
row("pragma of visibility", "#pragma GCC visibility push(hidden)\nlong f@(long x) { return note(x); }\n#pragma GCC visibility pop", inside=("f@(3)",), host="long f@(long);", late=None)
row("included file", '#include "impl@.inc"', "f@(3)", header="long f@(long);", files={"impl@.inc": "long f@(long x) { return note(x); }\n"}, late=None)
row("included definition", '#include "impl@.cuh"', "f@(3)", header="long f@(long);", files={"impl@.cuh": "#pragma once\nlong f@(long x) { return note(x); }\n"}, late=None)
row("kernel that is external", "__global__ void k@(int *p) { *p = 3; }\nlong f@(long x) { if (x == -77777) k@<<<1, 1>>>(nullptr); return note(x); }", "f@(3)", header="long f@(long);")
row("kernels of a template", "template <class T> __global__ void k@(T *p) { *p = 3; }\ntemplate __global__ void k@(int *);\nlong f@(long x) { if (x == -77777) k@<<<1, 1>>>((long *)nullptr); return note(x); }", "f@(3)", header="long f@(long);", late=None)
row("kernel by a macro", "#define K@(n) static __global__ void k@_##n(int *p) { *p = n; }\nK@(1)\nK@(2)\nlong f@(long x) { if (x == -77777) k@_1<<<1, 1>>>(nullptr); return note(x); }", "f@(3)", header="long f@(long);")
row("device function", "__device__ long d@(long x) { return x; }\n__host__ __device__ long f@(long x) { return x + 2; }\nlong g@(long x) { return note(f@(x)); }", ("f@(3)", "g@(2)"), header="long f@(long); long g@(long);", late=None)
row("device template", "template <class T> __device__ __forceinline__ T d@(T x) { return x; }\nstatic __global__ void k@(int *p) { *p = d@(3); }\nlong f@(long x) { if (x == -77777) k@<<<1, 1>>>(nullptr); return note(x); }", "f@(3)", header="long f@(long);")
row("static_assert", "static_assert(sizeof(long) == 8, \"{\");\nlong f@(long x) { return note(x); }", "f@(3)", header="long f@(long);")
row("strings", 'static const char text@[] = R"x(} long g() { )x";\nlong f@(long x) { return note(x + text@[0] + \'{\' + "}\\""[0]); }', "f@(3)", header="long f@(long);")
row("no one calls it", "long f@(long x) { return note(x); }\nlong unused@(long x) { return note(x); }", "f@(3)", header="long f@(long);", late=None)
row("only outside", "long f@(long x) { return note(x); }\nlong outside@(long x) { return note(x); }", "f@(3)", header="long f@(long); long outside@(long);", outside=("outside@(3)",))
row("recursion", "long f@(long x) { return x > 0 ? f@(x - 1) + note(x) : 1; }", "f@(5)", header="long f@(long);")
row("assembler", 'asm(".globl label@\\nlabel@ = 7");\nlong f@(long x) { return note(x); }', "f@(3)", header="long f@(long);", late=False)
row("errno", "#include <cerrno>\nlong f@(long x) { errno = (int)x; return note(errno); }", "f@(5) + errno", header="#include <cerrno>\nlong f@(long);")
row("threads", "#include <thread>\nlong f@(long x) { long y = 0; std::thread([&] { y = note(x); }).join(); return y; }", "f@(5)", header="long f@(long);", weight=1)
row("output", '#include <cstdio>\nlong f@(long x) { printf("from the unit %ld\\n", note(x)); return 0; }', "f@(5)", header="long f@(long);")
row("iostream", '#include <iostream>\nlong f@(long x) { std::cout << "from the unit " << note(x) << std::endl; return 0; }', "f@(5)", header="long f@(long);", weight=1, late=None)
row("C++20", "template <class T> concept has@ = requires(T t) { t.v; };\nlong f@(long x) { struct s { long v; }; return note(has@<s> + x); }", "f@(5)", header="long f@(long);", weight=0)
