"""Function templates that a header declares, what they are called with, and how a unit specialises them.

A Family is a template; an Instance is one list of its arguments, which one unit defines and the others call. The arguments
are known here only as text: what a call gives, the compiler alone decides.
"""

import re
from dataclasses import dataclass, field

# what every header begins with: of state it has only SHARED, which few bodies use
PRELUDE = """\
extern "C" int printf(const char*, ...);
typedef decltype(sizeof 0) std_size;
static inline long say(const char* what, long v) { printf("%s %ld\\n", what, v); return v; }
struct boom { long v; };
struct loud : boom { long w; };
struct shape { virtual ~shape() {} virtual long area() const { return 1; } };
struct square : shape { long area() const override { return 4; } };
struct small { int a, b; int sum() const { return a + b; } };
struct big { double d[9]; long n; };
struct noisy { int v; noisy(int i) : v(i) { say("made", v); } noisy(const noisy& o) : v(o.v + 1) {} ~noisy() { say("lost", v); } };
enum class mode : unsigned char { slow, fast = 3, odd };
enum plain { plain_zero, plain_one };
template <int N, bool B> struct traits { static constexpr int value = N; };
template <class T> struct wrap { long v = 6; };
template <class T> struct filled { static int made; long get(); };
template <class T> int filled<T>::made = 4;
template <class T> long filled<T>::get() { return (long)sizeof(T) + made; }
template <class T> int tuned = (int)sizeof(T);
struct holder { template <int N> long get() const { return N; } template <int N> static long made() { return N + 1; } template <class T> operator wrap<T>() const { return {}; } };
template <class T> struct nest { template <class U> static long in(int v) { return v; } using result = long; };
template <class T, class> using std_same = T;
template <int N> int tuned_by = N;
struct tag0 { static constexpr int value = 10; };
struct tag1 { static constexpr int value = 11; using type = long; };
namespace host_space { inline long from_space(long v) { return v * 3; } struct tag2 { static constexpr int value = 12; }; inline namespace v1 { struct tag3 { enum { value = 13 }; }; } }
struct hosted { long v; hosted(long v); virtual ~hosted() {} virtual long get() const; operator bool() const; hosted operator+(long) const; };
hosted operator%(const hosted&, long);
long from_host(long);
extern long host_count;
template <class T> struct result { static T of(long v) { return (T)v; } };
template <> struct result<small> { static small of(long v) { return small{(int)v, 7}; } };
template <> struct result<big> { static big of(long v) { return big{{1.5 * v}, v}; } };
template <> struct result<const char*> { static const char* of(long v) { return v & 1 ? "odd" : "even"; } };
template <> struct result<mode> { static mode of(long v) { return v & 1 ? mode::fast : mode::slow; } };
template <class T> struct result<wrap<T>> { static wrap<T> of(long v) { wrap<T> w; w.v += v; return w; } };
template <> struct result<void> { static void of(long v) { say("void", v); } };
"""

# state of a header: expressions that change it
SHARED = """\
inline long shared_sum = 3;
inline long shared_next() { static long calls; return ++calls; }
template <class T> long shared_of = sizeof(T);
struct shared_in { static inline long count = 1; };
"""
SHARED_USES = ["(shared_sum += 2)", "shared_next()", "(shared_of<tag1> += 3)", "++shared_in::count"]

# what the caller defines, and the names of the header that lead there
LEANS = """\
long lean_on(long);
inline long lean_inline(long x) { return lean_on(x); }
template <class T> long lean_template(T x) { return lean_inline((long)x); }
#define LEAN_MACRO(x) lean_on(x)
struct leant { long v; operator long() const; ~leant(); long operator[](int) const; };
inline leant lean_class(long x) { return {x}; }
long operator%(const leant&, short);
inline long operator^(const leant& a, short b) { return lean_on(a.v) + b; }
extern long lean_level;
inline long lean_read() { return lean_level; }
template <class T> long lean_elsewhere(T);
template <class T> long lean_through(T x) { return lean_elsewhere(x); }
struct lean_list { long a[2]; const long* begin() const; const long* end() const; };
inline lean_list lean_all(long x) { return {{x, 1}}; }
struct lean_helper { long run(long x) { return lean_on(x); } };
"""
LEANS_HOST = """\
long lean_on(long x) { return x + 1; }
leant::operator long() const { return v + 2; }
leant::~leant() {}
long leant::operator[](int n) const { return v + n; }
long operator%(const leant& a, short b) { return a.v + b; }
long lean_level = 4;
template <class T> long lean_elsewhere(T x) { return (long)x + 5; }
template long lean_elsewhere<long>(long);
const long* lean_list::begin() const { return a; }
const long* lean_list::end() const { return a + 2; }
"""
LEANS_USES = [
    "lean_on(x)",
    "lean_inline(x)",
    "lean_template((int)x)",
    "LEAN_MACRO(x)",
    "(long)lean_class(x)",
    "lean_level",
    "lean_read()",
    "lean_through((long)x)",
    "lean_helper().run(x)",
    "(long)sizeof(lean_inline(x))",
    "[&] { auto a = lean_class(x); return a % (short)3; }()",
    "[&] { auto a = lean_class(x); return a ^ (short)3; }()",
    "[&] { auto a = lean_class(x); return a[3]; }()",
    "[&] { long n = 0; for (long v : lean_all(x)) n += v; return n; }()",
]

# classes that are compared by their type_info between unit and caller
TYPED = """\
#include <typeinfo>
template <class T> struct typed_square : T { long area() const override { return sizeof(T); } };
static inline long same_type(const std::type_info& a, const std::type_info& b) { return (a == b) * 4 + (a.hash_code() == b.hash_code()) * 2 + a.before(b); }
static inline long sum_name(const std::type_info& t) { long n = 0; for (const char* c = t.name(); *c; c++) n = n * 3 + *c; return n % 1009; }
"""

# what launches need: without a GPU a launch fails, and how is a part of the result
RUNTIMES = {"hip": "#include <hip/hip_runtime.h>\n", "cuda": "#include <cuda_runtime.h>\n"}
DEVICE = """\
#if defined(__HIPCC__) || defined(__HIP__)
static inline long launched() { return (long)hipGetLastError(); }
#else
static inline long launched() { return (long)cudaGetLastError(); }
#endif
#if defined(__HIP__) || defined(__CUDACC__)
template <int N> __global__ void fill(int* out) { *out = N; }
template <int N, class T> __global__ void __launch_bounds__(64) scale(T* out, T by) { out[threadIdx.x] *= by + N; }
template <int N> long launch() { fill<N><<<1, 1>>>(nullptr); return launched(); }
#endif
"""

# what the callers have beside it
HOST = """\
static inline void show(const char* what, long v) { printf("%s = %ld\\n", what, v); }
static inline void show(const char* what, double v) { printf("%s = %g\\n", what, v); }
static inline void show(const char* what, const char* v) { printf("%s = %s\\n", what, v); }
static inline void show(const char* what, small v) { printf("%s = {%d, %d}\\n", what, v.a, v.b); }
static inline void show(const char* what, const big& v) { printf("%s = {%g, %ld}\\n", what, v.d[0], v.n); }
static inline void show(const char* what, mode v) { printf("%s = mode %d\\n", what, (int)v); }
template <class T> void show(const char* what, const wrap<T>& v) { printf("%s = wrap %ld\\n", what, v.v); }
static inline int twice(int v) { return v * 2; }
hosted::hosted(long v) : v(v) {}
long hosted::get() const { return v + 1; }
hosted::operator bool() const { return v > 1; }
hosted hosted::operator+(long b) const { return hosted(v + b); }
hosted operator%(const hosted& a, long b) { return hosted(a.v % b); }
long from_host(long v) { return v + 4; }
long host_count = 5;
"""

# template arguments: (text, type as which a unit may name them, or what of a constant)
TYPES = [
    "int", "long", "char", "double", "unsigned long", "const char*", "tag0", "tag1", "host_space::tag2", "host_space::tag3", "small",
    "traits<3, true>", "traits<4, (5 > 4)>", "wrap<int>", "wrap<wrap<tag0>>", "int*", "int(long)", "int (*)(long)", "int[3]", "mode", "int small::*",
    "decltype(nullptr)", "const volatile int", "tag0&", "traits<(1 << 3), !true>", "wrap<void (*)(wrap<int>, ...)>", "big",
]
KINDS = {
    "class": TYPES,
    "typename": TYPES,
    "int": ["0", "1", "7", "-3", "64", "(3 > 2)", "1 << 4", "0x1F", "'a'", "sizeof(long)", "(int)mode::fast", "1'000", "0b101", "~0"],
    "bool": ["true", "false", "(1 < 2)", "!true"],
    "mode": ["mode::slow", "mode::fast", "mode::odd", "static_cast<mode>(1)", "mode{2}"],
    "plain": ["plain_zero", "plain_one", "(plain)1"],
    "unsigned char": ["3", "'x'", "255"],
    "auto": ["5", "'c'", "mode::fast", "nullptr", "true", "6L"],
    "template <class> class": ["wrap", "filled"],
    "int (*)(int)": ["nullptr"],
    "class...": [],
    "int...": [],
}
CONSTANTS = {"int": "int", "bool": "bool", "mode": "mode", "plain": "plain", "unsigned char": "unsigned char"}

# parameters: type, argument of the call, value in the body
PARAMETERS = [
    ("int", "41", "{p}"),
    ("long", "-7L", "{p}"),
    ("double", "2.5", "(long)({p} * 4)"),
    ("const char*", '"text"', "{p}[1]"),
    ("small", "small{3, 4}", "({p}.a + {p}.sum())"),
    ("const small&", "small{5, 6}", "{p}.b"),
    ("small&", "lvalue", "{p}.a++"),
    ("small&&", "small{8, 9}", "(long)({p}.b += 2)"),
    ("const small*", "&lvalue", "{p}->b"),
    ("big", "big{{1, 2, 3}, 4}", "({p}.n + (long){p}.d[2])"),
    ("const big&", "big{{1, 2, 3}, 9}", "{p}.n"),
    ("int (*)(int)", "&twice", "{p}(21)"),
    ("int (&)[3]", "array", "{p}[2]"),
    ("const int (&)[3]", "array", "{p}[1]"),
    ("int*", "array", "*{p}"),
    ("int small::*", "&small::a", "(small{{6, 7}}.*{p})"),
    ("int (small::*)() const", "&small::sum", "(small{{6, 7}}.*{p})()"),
    ("mode", "mode::fast", "(long){p}"),
    ("bool", "true", "{p}"),
    ("unsigned long long", "5ull", "(long){p}"),
    ("short", "(short)3", "{p}"),
    ("long (&)(const char*, long)", "say", '{p}("called", 2)'),
    ("wrap<int>", "wrap<int>{}", "{p}.v"),
    ("const wrap<wrap<char>>&", "wrap<wrap<char>>{}", "{p}.v"),
    ("void*", "nullptr", "({p} == nullptr)"),
    ("char[4]", "letters", "{p}[0]"),
    ("const volatile int", "12", "{p}"),
    ("const shape&", "square{}", "(dynamic_cast<const square*>(&{p}) ? {p}.area() : -1)"),
    ("shape*", "&round", "(dynamic_cast<square*>({p}) ? -1 : {p}->area())"),
    ("...", '1, 2.0', "0"),
]
TYPED_PARAMETERS = [
    ("const std::type_info&", "typeid(square)", "same_type({p}, typeid(square)) + sum_name({p})"),
    ("const std::type_info&", "typeid(wrap<tag0>)", "same_type(typeid(wrap<tag0>), {p})"),
    ("const std::type_info&", "typeid(host_space::tag3*)", "same_type({p}, typeid(tag0)) + same_type({p}, typeid(host_space::v1::tag3*))"),
    ("const std::type_info*", "&typeid(filled<tag1>)", "same_type(*{p}, typeid(filled<tag1>)) + same_type(*{p}, typeid(filled<tag0>))"),
    ("const typed_square<shape>&", "typed_square<shape>{}", "same_type(typeid({p}), typeid(typed_square<shape>)) + {p}.area()"),
    ("shape&", "round", "same_type(typeid({p}), typeid(shape)) + sum_name(typeid({p}))"),
]
RETURNS = ["int", "long", "double", "small", "const char*", "void", "mode", "big", "wrap<int>", "bool"]
# types that depend on a parameter, and are long; parameters that another type declares as well
LONGS = ["typename nest<T{}_>::result", "decltype((long)sizeof(wrap<T{}_>))", "std_same<long, wrap<T{}_>>"]
LONGS += [text.format(n) for text in LONGS for n in range(3)]
ALSO = {"char[4]": "char*", "int (*)(int)": "int (int)", "const volatile int": "int", "int": "const int", "bool": "const bool", "mode": "const volatile mode"}
OPERATORS = ["operator+", "operator<", "operator==", "operator<<", "operator,", "operator%="]
SPACES = [[], [], [], ["api"], ["api"], ["api", "detail"], ["api", "inline v2"], ["lib_", "kernels", "fwd"]]


def declared(kind, text, name):
    """a declaration of NAME, of a type that is written around it"""
    if "<" in text and text != "template <class> class":
        return f"{text} {name}"
    if text == "int (int)":
        return f"int {name}(int)"
    for mark in ("(*)", "(&)", "::*)"):
        if mark in text:
            return text.replace(mark, mark[:-1] + name + ")", 1)
    return text[: text.index("[")] + " " + name + text[text.index("[") :] if "[" in text else f"{text} {name}" if text != "..." else "..."


@dataclass
class Instance:
    family: object
    args: list  # (kind, text)

    def arguments(self):
        return ", ".join(text for _, text in self.args)

    def name(self):
        return f"{self.family.path()}{self.family.listed(self.arguments())}"


@dataclass
class Family:
    spaces: list
    name: str
    kinds: list
    parameters: list
    result: str
    suffix: str = ""
    specifiers: str = ""
    requires: str = ""
    trailing: bool = False
    defined: bool = False  # in the header: units instantiate it
    defaults: bool = False  # the last parameter has a default argument
    overloaded: bool = False  # another family has its name
    instances: list = field(default_factory=list)

    def listed(self, args):
        """the name with its template arguments, a text"""
        return f"{self.name}{' ' if self.name.endswith('<') else ''}<{args}>"

    def deduced(self):
        """how many of the last template arguments the parameters give"""
        return int(bool(self.parameters) and self.parameters[0][1] == "WRAP" and f"T{len(self.kinds) - 1}_" in self.parameters[0][0])

    def path(self):
        return "".join(s.replace("inline ", "") + "::" for s in self.spaces)

    def signature(self, args=None, name=None, params=None, other=False):
        """'R name(P...) noexcept': of the template, or with ARGS in place of its parameters; PARAMS are names. OTHER: as another spells it"""

        def put(text):
            if args:
                for i, (kind, value) in enumerate(args):
                    text = text.replace(f"T{i}_", value)
            return text

        params = params or [""] * len(self.parameters)
        types = [ALSO.get(p[0], p[0]) if other else p[0] for p in self.parameters]
        listed = ", ".join(declared("", put(t), n) for t, n in zip(types, params))
        result = "long" if other and self.result in LONGS else put(self.result)
        if self.trailing:
            return f"auto {name or self.name}({listed}){self.suffix} -> {result}"
        return f"{result} {name or self.name}({listed}){self.suffix}"

    def template(self):
        shown = []
        for i, kind in enumerate(self.kinds):
            default = ""
            if self.kinds[i:] == [kind] and self.defaults:
                default = {"class": " = int", "typename": " = long", "int": " = 3", "bool": " = false"}.get(kind, "")
            shown.append(declared("", kind, f"T{i}_") + default if "(*)" in kind else f"{kind} T{i}_{default}")
        return f"template <{', '.join(shown)}>{self.requires}"

    def declaration(self):
        names = []
        for i, p in enumerate(self.parameters):
            last = self.defaults and i == len(self.parameters) - 1 and p[0] in ("int", "long", "bool", "double")
            names.append(f"p{i}" + (" = 1" if last else ""))
        if not self.defined:
            return f"{self.template()} {self.specifiers}{self.signature(params=names)};"
        body = " + ".join(["(long)sizeof(int)"] + [f"(long){p[2].format(p=f'p{i}')}" for i, p in enumerate(self.parameters)])
        result = self.result
        return f"{self.template()} {self.signature(params=names)} {{ static long calls; return result<{result}>::of({body} + ++calls); }}"

    def opened(self, text):
        for s in reversed(self.spaces):
            text = f"{s.split()[0] + ' ' if ' ' in s else ''}namespace {s.split()[-1]} {{ {text} }}"
        return text


def make_family(r, number, std, typed=False):
    kinds = [r.choice(["class", "class", "typename", "int", "int", "bool", "mode", "plain", "unsigned char", "auto", "template <class> class", "int (*)(int)"]) for _ in range(r.randint(1, 3))]
    if r.random() < 0.15:
        kinds = kinds[: r.randint(0, 1)] + [r.choice(["class...", "int..."])]
    parameters = r.sample(PARAMETERS[:-1] + (TYPED_PARAMETERS * 2 if typed else []), r.randint(0, 4))
    if r.random() < 0.1:
        parameters.append(PARAMETERS[-1])
    result = r.choice(RETURNS)
    plain = [i for i, k in enumerate(kinds) if k in ("class", "typename")]
    if plain and r.random() < 0.4:
        i = r.choice(plain)
        parameters.insert(0, r.choice([(f"wrap<T{i}_>", "WRAP", "{p}.v"), (f"const wrap<T{i}_>&", "WRAP", "{p}.v"), (f"wrap<T{i}_>*", "nullptr", "({p} == nullptr)")]))
        if r.random() < 0.4:
            result = f"wrap<T{i}_>"
    if plain and r.random() < 0.12:
        result = r.choice(LONGS[:3]).format(r.choice(plain))
    f = Family(r.choice(SPACES), r.choice(["fwd_{}", "Kernel{}", "run_{}_", "operator_{}", "template_{}"]).format(number), kinds, parameters, result)
    if len(parameters) == 2 and parameters[-1][0] != "..." and re.search("small$|small&|mode|big|wrap|shape&", parameters[0][0] + parameters[1][0]) and r.random() < 0.4:
        f.name = r.choice(OPERATORS)
    f.suffix = r.choice(["", "", "", " noexcept(false)", " noexcept", " noexcept(sizeof(long) == 4)"])
    f.specifiers = r.choice(["", "", "", "", "[[nodiscard]] ", "__attribute__((visibility(\"default\"))) ", "extern "])
    f.trailing = r.random() < 0.15
    f.defaults = r.random() < 0.3 and f.name not in OPERATORS
    f.defined = r.random() < 0.2
    if f.defined:
        f.specifiers, f.defaults = "", False
    if std == 20 and plain and r.random() < 0.3 and "..." not in str(kinds):
        f.requires = f" requires (sizeof(wrap<T{plain[0]}_>) > 0)"
    if f.trailing and "noexcept" in f.suffix:
        f.suffix = " noexcept" if f.suffix == " noexcept" else ""
    return f


def make_instances(r, family, count):
    seen = set()
    for _ in range(count * 3):
        args = []
        for kind in family.kinds:
            if kind == "class...":
                args += [("class", t) for t in r.sample(TYPES, r.randint(0, 3))]
            elif kind == "int...":
                args += [("int", t) for t in r.sample(["1", "2", "-5", "(4 > 3)"], r.randint(0, 3))]
            else:
                args.append((kind, r.choice(KINDS[kind])))
        # two texts may be one value: `1` and `(3 > 2)`; the kinds of text that may be are left to one instance
        key = tuple(value_of(kind, text) for kind, text in args)
        if key in seen or len(family.instances) == count:
            continue
        seen.add(key)
        family.instances.append(Instance(family, args))


SAME = {
    "(3 > 2)": 1, "1": 1, "(4 > 3)": 1, "0x1F": 31, "1 << 4": 16, "(int)mode::fast": 3, "sizeof(long)": 8, "~0": -1, "'a'": 97, "(1 < 2)": "true",
    "!true": "false", "static_cast<mode>(1)": "mode1", "mode{2}": "mode2", "(plain)1": "plain_one", "'x'": 120, "int (*)(long)": "fp",
}


def value_of(kind, text):
    return SAME.get(text, text)
