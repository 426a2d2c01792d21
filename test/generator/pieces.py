"""What can stand in a unit beside its specialisations: one function for each form.

A piece is asked for its text with a generator of random numbers and a number K, which makes its names its own. It gives
a Piece: the text at namespace scope, and expressions of type long that use it, for the bodies behind it; `x` in them is a
long variable of the body.

`lazy` is whether a unit with this piece in it can still be a blob by docs/blobs.md ("What a blob is"): every external
definition an explicit specialisation or instantiation of a function template that another file declares, and no code at load
time. A piece that is written with a macro whose meaning the scan cannot see has lazy=None: nothing is promised.

Which function makes what of C++ (a name without a file is in this one):

    namespaces: nested, inline, aliased, unnamed       alias, helper, counter; families.SPACES; of the specialisation: Build.specialisation
    using-declarations, using-directives               alias, using_enum
    enums                                              constant, own_type, alias
    lambdas                                            lambda_, class_state; in bodies: Build.body
    variable templates                                 own_template, internal, external; of the header: families.PRELUDE
    constexpr functions                                helper, constant, device_code
    concepts, requires                                 concepts; Family.requires
    attributes                                         counter, helper, own_type, alias, directive; Build.specialisation
    macros that open and close, that make functions    macro; around a specialisation: Build.specialisation
    conditionals around anything                       directive; Build.add_piece, Build.specialisation, Build.blob
    units that only include                            Build.including
    internal linkage of every kind                     counter, table, strings, constant, class_state, internal, helper
    default arguments                                  helper, declarations; Family.defaults
    noexcept                                           helper, own_type, constant; Family.suffix
    friend                                             own_type
    ref-qualified members                              own_type, external
    function-try-blocks                                helper, own_type; Build.specialisation
    trailing return types                              helper, declarations; Family.trailing
    conversion operators                               own_type, external
    explicit instantiation: of functions               Family.defined, internal, external
    explicit instantiation: of classes, members,       internal, external
      variables
    exceptions, dynamic_cast, typeid                   polymorphic, typeids; Build.body, families.TYPED_PARAMETERS
    overloads, operators, deduced template arguments,  families.make_family; Build.specialisation
      a parameter that is spelled in another way
    what a sibling unit defines                        sibling
    kernels, device functions and variables            kernel, device_code
    -x c++, -x hip, -x cu, .cpp and .cu                toolchain.py
"""

from dataclasses import dataclass, field

PIECES = []


@dataclass
class Piece:
    """a form: its text, the expressions that use it, and what becomes of a unit that has it"""

    text: str
    uses: list = field(default_factory=list)
    lazy: bool = True
    needs: str = ""  # "20": C++20; "typed": <typeinfo>; "device": a compiler for a GPU; "launch": the header that launches
    only: str = ""  # "clang" or "nvcc": what the other does not take


def piece(weight=2):
    """a decorator: the function makes a piece, this often"""

    def add(function):
        PIECES.extend([function] * weight)
        return function

    return add


# ---- state and constants of internal linkage


@piece(4)
def counter(r, k):
    how = r.choice(
        [
            "static int count_{k};",
            "static unsigned long long count_{k} = {n};",
            "namespace {{ int count_{k} = {n}; }}",
            "static thread_local int count_{k} = {n};",
            "static volatile int count_{k} = 0x{n}'0;",
            "namespace {{ namespace deep_{k} {{ long count_{k}{{{n}}}; }} using deep_{k}::count_{k}; }}",
            "namespace {{ inline namespace v_{k} {{ short count_{k} = 'a'; }} }}",
            "static std_size count_{k} = {n};",
            "alignas(32) static int count_{k} = -{n};",
            "static int count_{k} [[maybe_unused]] = {n};",
            "[[maybe_unused]] static int count_{k} = +{n};",
            "static int count_{k} __attribute__((aligned(64))) = {n};",
            "namespace\n{{\n  // of this file\n  int count_{k} /* and of no other */ = {n};\n}}",
        ]
    )
    lazy = None if "std_size" in how or "alignas" in how or "[[" in how or "__attribute__" in how else True
    return Piece(how.format(k=k, n=r.randint(1, 9)), [f"(long)(count_{k} = count_{k} + 1)"], lazy=lazy)


@piece(2)
def table(r, k):
    n = [r.randint(1, 99) for _ in range(4)]
    how = r.choice(
        [
            "static const int table_{k}[] = {{{a}, {b}, {c}, {d}}};",
            "static constexpr long table_{k}[4] = {{{a}, {b}, {c}, {d}}};",
            "constexpr int table_{k}[2 + 2]{{{a}, {b}, {c}, {d}}};",
            "const short table_{k}[4] = {{{a}, {b}, {c}, {d}}};",
            "namespace {{ int table_{k}[2 * 2] = {{{a}, {b}, {c}, {d}}}; }}",
            "static int table_{k}<:4:> = <% {a}, {b}, {c}, {d} %>;",
            "static unsigned table_{k}[4] = {{[0] = {a}, [1] = {b}, [2] = {c}, [3] = {d}}};",
        ]
    )
    lazy = None if "2 * 2" in how or "[0]" in how or "<:" in how else True
    text = how.format(k=k, a=n[0], b=n[1], c=n[2], d=n[3])
    return Piece(text, [f"(long)table_{k}[x & 3]"], lazy=lazy)


@piece(1)
def polymorphic(r, k):
    how = r.choice(
        [
            (f"namespace {{ struct own_{k} : square {{ long area() const override {{ return {k}; }} }}; }}", f"[](const shape& s) {{ return dynamic_cast<const square*>(&s)->area(); }}(own_{k}{{}})"),
            (f"static long kind_{k}(const shape& s) {{ try {{ return dynamic_cast<const square&>(s).area(); }} catch (...) {{ return {k}; }} }}", f"kind_{k}(shape{{}}) + kind_{k}(square{{}})"),
            (f"static long caught_{k}(long v) {{ try {{ throw loud{{{{v}}, 1}}; }} catch (const boom& b) {{ return b.v; }} }}", f"caught_{k}(x)"),
        ]
    )
    return Piece(how[0], [how[1]], lazy=None)


@piece(2)
def strings(r, k):
    return Piece(
        *r.choice(
            [
                (f'static const char* text_{k} = "a\\"b{{" "c";', [f"(long)text_{k}[x & 3]"]),
                (f'static constexpr char text_{k}[] = R"x(}}) " template<> {{)x";', [f"(long)text_{k}[x & 3]"]),
                (f"namespace {{ const char* const text_{k} = R\"(\n#if 0\n)\"; }}", [f"(long)text_{k}[x & 1]"]),
                (f"constexpr auto text_{k} = u8\"\\u00e9\" \"x\";", [f"(long)(unsigned char)text_{k}[x & 1]"]),
                (f"constexpr wchar_t text_{k}[] = L\"wide\";", [f"(long)text_{k}[x & 3]"]),
                (f"static const char text_{k} = '\\'';", [f"(long)text_{k}"]),
                (f"static const char32_t text_{k}[] = U\"four\";", [f"(long)text_{k}[x & 3]"]),
            ]
        )
    )


@piece(2)
def constant(r, k):
    n = r.randint(1, 50)
    how = r.choice(
        [
            f"static const int value_{k} = {n};",
            f"constexpr long value_{k} = {n} << 1;",
            f"const unsigned value_{k} = sizeof(long) * {n}u;",
            f"constexpr auto value_{k} = {n}L;",
            f"static constexpr decltype(sizeof 0) value_{k} = {n};",
            f"const int value_{k}{{{n}}};",
            f"enum {{ value_{k} = {n} }};",
            f"enum name_{k} : short {{ value_{k} = {n}, other_{k} = value_{k} + 1 }};",
            f"namespace {{ constexpr bool value_{k} = {n} < 3 || {n} > 7; }}",
            f"constexpr double half_{k} = {n} / 2.; constexpr long value_{k} = static_cast<long>(half_{k});",
            f"static const float value_{k} = {n}.25f;",
            f"constexpr inline int value_{k} = {n};",
            f"inline constexpr int value_{k} = 1'0{n};",
            f"constexpr int value_{k} = [](int v) {{ return v * {n}; }}(2);",
            f"constexpr small value_object_{k}{{{n}, 2}}; constexpr int value_{k} = value_object_{k}.a;",
            f"static const bool value_{k} = noexcept({n});",
            f"static const int value_{k} = ({n} + 1);",
            f"static int const value_{k} = {n}, more_{k} = {n} + 1;",
        ]
    )
    return Piece(how, [f"(long)value_{k}"])


@piece(2)
def class_state(r, k):
    """objects of classes: of those whose making runs code, what it prints shows the order"""
    how, lazy = r.choice(
        [
            (f"static noisy object_{k}({k});", False),
            (f"namespace {{ noisy object_{k}{{{k}}}; }}", False),
            (f"static noisy object_{k} = {k};", False),
            (f"static const noisy object_{k}({k});", False),
            (f"namespace {{ struct own_{k} {{ int v; own_{k}() : v({k}) {{ say(\"own\", v); }} ~own_{k}() {{ say(\"gone\", v); }} }}; own_{k} object_{k}; }}", False),
            (f"static int early_{k}() {{ say(\"early\", {k}); return {k}; }}\nstatic noisy object_{k}{{early_{k}()}};", False),
            (f"namespace {{ noisy objects_{k}[2] = {{1, {k}}}; auto& object_{k} = objects_{k}[1]; }}", False),
            (f"static auto lambda_{k} = [] {{ say(\"once\", {k}); return noisy({k}); }};\nstatic noisy object_{k} = lambda_{k}();", False),
            (f"static small object_{k};", None),
            (f"static small object_{k} = {{{k}, 2}};", None),
            (f"namespace {{ small object_{k}{{{k}, 2}}; }}", None),
            (f"namespace {{ struct own_{k} {{ int a = {k}; int b = 2; }} object_{k}; }}", None),
            (f"static struct {{ int a, b; }} object_{k};", None),
            (f"namespace {{ union {{ int a_{k}; float f_{k}; }}; auto object_{k} = small{{a_{k}, 1}}; }}", None),
        ]
    )
    return Piece(how, [f"(long)object_{k}.v" if lazy is False else f"(long)(object_{k}.a++)"], lazy=lazy)


@piece(2)
def internal(r, k):
    """internal linkage that no keyword before a plain variable gives"""
    how = r.choice(
        [
            (f"namespace {{ auto [one_{k}, two_{k}] = small{{{k}, 2}}; }}", f"(long)(one_{k} += two_{k})"),
            (f"static union {{ int a_{k}; unsigned b_{k}; }};", f"(long)(a_{k} += 3) + b_{k}"),
            (f"template <class T> static T each_{k} = T({k});", f"(long)++each_{k}<long> + each_{k}<int>"),
            (f"template <class T> inline const T each_{k} = T({k});", f"(long)each_{k}<long>"),
            (f"const volatile int cv_{k} = {k};", f"(long)cv_{k}"),
            (f"static const small& bound_{k} = small{{{k}, 3}};", f"(long)bound_{k}.sum()"),
            (f"static long target_{k}(long v) {{ return v + {k}; }}\nstatic long (*const pointer_{k})(long) = target_{k};", f"pointer_{k}(x)"),
            (f"static long target_{k}(long v) {{ return v + {k}; }}\nnamespace {{ auto& named_{k} = target_{k}; }}", f"named_{k}(x)"),
            (f"static int small::* const member_{k} = &small::b;", f"(long)(small{{1, 2}}.*member_{k})"),
            (f"static int (small::*method_{k})() const = &small::sum;", f"(long)(small{{1, {k}}}.*method_{k})()"),
            (f"namespace {{ struct tag_{k}; }}\nlong by_{k}(const tag_{k}*, long v) {{ static long calls = {k}; return v + ++calls; }}", f"by_{k}(nullptr, x)"),
            (f"namespace {{ template <class T> struct in_{k} {{ static T made; long get() const {{ return ++made; }} }}; template <class T> T in_{k}<T>::made = {k}; template struct in_{k}<int>; }}", f"in_{k}<int>{{}}.get()"),
            (f"namespace {{ template <class T> T free_{k}(T v) {{ return v + {k}; }} template long free_{k}<long>(long); }}", f"free_{k}(x)"),
            (f"template <class T> static T own_{k}(T v) {{ return v + {k}; }}\ntemplate <> long own_{k}<long>(long v) {{ return v - {k}; }}\ntemplate int own_{k}<int>(int);", f"own_{k}(x) + own_{k}((int)x)"),
            (f"namespace {{ struct mark_{k} {{ int v; }}; }}\ntemplate <> long filled<mark_{k}>::get() {{ return {k}; }}", f"filled<mark_{k}>{{}}.get()"),
            (f"namespace {{ struct mark_{k} {{ char v[{k % 90 + 1}]; }}; }}\ntemplate struct filled<mark_{k}>;", f"filled<mark_{k}>{{}}.get()"),
            (f"namespace {{ struct mark_{k} {{ char v[{k % 90 + 1}]; }}; }}\ntemplate <> int tuned<mark_{k}> = {k};", f"(long)++tuned<mark_{k}>"),
        ]
    )
    return Piece(how[0], [how[1]], lazy=None)


# ---- functions


@piece(4)
def helper(r, k):
    how = r.choice(
        [
            "static long help_{k}(long v) {{ return v + {n}; }}",
            "static inline long help_{k}(long v) {{ return v * {n}; }}",
            "inline long help_{k}(long v) {{ return v - {n}; }}",
            "namespace {{ long help_{k}(long v) {{ static long sum; return sum += v % {n}; }} }}",
            "static auto help_{k}(long v) {{ return v ^ {n}; }}",
            "static auto help_{k}(long v) -> decltype(v + 1L) {{ return v | {n}; }}",
            "constexpr long help_{k}(long v) {{ return v ? v & {n} : {n}; }}",
            "static constexpr long help_{k}(long v) noexcept {{ return v + {n}; }}",
            "static long help_{k}(long v = {n}) noexcept(noexcept(v + 1)) {{ return v + 1; }}",
            "static long help_{k}(long v);\nstatic long help_{k}(long v) {{ return v + {n}; }}",
            "namespace {{ long help_{k}(long); }}\nnamespace {{ long help_{k}(long v) {{ return v + {n}; }} }}",
            "static long help_{k}(long v) try {{ if (v > 1000000) throw boom{{{n}}}; return v; }} catch (const boom& b) {{ return b.v; }}",
            "template <class T> static long help_{k}(T v) {{ return long(v) + {n}; }}",
            "namespace {{ template <class... T> long help_{k}(T... v) {{ return (0L + ... + v) + sizeof...(v); }} }}",
            "template <class T, int N = {n}> inline long help_{k}(T v) {{ return v + N; }}",
            "[[nodiscard]] static long help_{k}([[maybe_unused]] long v) {{ return {n}; }}",
            "__attribute__((noinline)) static long help_{k}(long v) {{ return v + {n}; }}",
            "static __attribute__((always_inline)) inline long help_{k}(long v) {{ return v + {n}; }}",
            "static long help_{k}(long v) {{ struct local {{ long m; long get() const& {{ return m + {n}; }} }} l{{v}}; return l.get(); }}",
            "static long help_{k}(long v) {{ switch (v & 3) {{ case 0: return {n}; [[fallthrough]]; default: break; }} return v; }}",
            "static long help_{k}(long v) {{ goto out; out: return v < {n} ? v > 2 : v >> 1; }}",
            "static long (*help_{k}(int))(long);\nstatic long under_{k}(long v) {{ return v + {n}; }}\nstatic long (*help_{k}(int))(long) {{ return under_{k}; }}",
            "long help_{k}(long v) = delete;\nstatic long help_{k}(int v) {{ return v + {n}; }}",
            "static long help_{k}(long v, ...) {{ return v + {n}; }}",
            "static signed long help_{k}(const volatile long&& v) {{ return v + {n}; }}",
            "extern \"C\" {{ static long help_{k}(long v) {{ return v + {n}; }} }}",
            "namespace {{ extern \"C++\" {{ long help_{k}(long v) {{ return v + {n}; }} }} }}",
            "long static help_{k}(long v) {{ return v + {n}; }}",
            "static long help_{k}(long v) <% return v + {n}; %>",
            "static lo\\\nng help_{k}(long v) {{ return v + {n}; }} // a line that goes on \\\n and on",
        ]
    )
    text = how.format(k=k, n=r.randint(1, 9))
    use = f"help_{k}(1)(x)" if "(*help" in how else f"(long)help_{k}((int)x)" if "delete" in how else f"(long)help_{k}(x + 0)"
    lazy = None if "<%" in how or "lo\\" in how or "delete" in how or "extern \"C" in how or "(*help" in how else True
    return Piece(text, [use], lazy=lazy)


@piece(2)
def lambda_(r, k):
    how = r.choice(
        [
            f"static constexpr auto call_{k} = [](long v) {{ return v + {k}; }};",
            f"constexpr auto call_{k} = [](auto v) constexpr noexcept -> long {{ return v * 2; }};",
            f"namespace {{ const auto call_{k} = [](long v) {{ return v + {k}; }}; }}",
            f"static const auto call_{k} = [](long v) mutable {{ if (v) return v; return {k}L; }};",
            f"inline constexpr auto call_{k} = [](auto... v) {{ return (v + ... + {k}L); }};",
        ]
    )
    lazy = None if "const auto" in how and "constexpr auto" not in how else True
    use = f"call_{k}(x)" if "mutable" not in how else f"[] (long v) {{ auto c = call_{k}; return (long)c(v); }}(x)"
    return Piece(how, [use], lazy=lazy)


@piece(2)
def own_template(r, k):
    how = r.choice(
        [
            ("template <int N> constexpr int of_{k} = N * 2;\ntemplate <> constexpr int of_{k}<3> = 7;", "of_{k}<3> + of_{k}<4>"),
            ("template <class T> inline constexpr bool is_{k} = sizeof(T) > 2;", "is_{k}<int>"),
            ("namespace {{ template <class T> T zero_{k}{{}}; }}", "(zero_{k}<long> += 2)"),
            ("template <class T> struct box_{k} {{ T v; box_{k}(T t) : v(t) {{}} }};\ntemplate <class T> box_{k}(T) -> box_{k}<T>;", "box_{k}(x).v"),
            ("template <class T> struct far_{k} {{ long get() const; static long count; }};\ntemplate <class T> long far_{k}<T>::get() const {{ return ++count; }}\ntemplate <class T> long far_{k}<T>::count = 5;", "far_{k}<tag0>{{}}.get()"),
            ("template <template <class> class W> using in_{k} = W<int>;", "(long)sizeof(in_{k}<wrap>)"),
            ("template <class T, class = void> struct pick_{k} {{ static constexpr int v = 1; }};\ntemplate <class T> struct pick_{k}<T, decltype((void)T::value)> {{ static constexpr int v = 2; }};", "pick_{k}<int>::v * 10 + pick_{k}<tag1>::v"),
            ("template <auto V> struct carry_{k} {{ static constexpr auto v = V; }};", "carry_{k}<7>::v + (carry_{k}<'c'>::v < 3)"),
            ("template <int... N> struct sum_{k} {{ enum {{ v = (0 + ... + N) }}; }};", "(long)sum_{k}<1, (2 > 1), 3>::v"),
        ]
    )
    return Piece(how[0].format(k=k), [how[1].format(k=k)])


@piece(1)
def concepts(r, k):
    return Piece(
        f"template <class T> concept small_{k} = sizeof(T) <= 4 && requires(T t) {{ t + 1; }};\n"
        f"template <small_{k} T> static long con_{k}(T) {{ return 1; }}\n"
        f"template <class T> requires(!small_{k}<T>) static long con_{k}(T) {{ return 2; }}\n"
        + r.choice([f"static long auto_{k}(small_{k} auto v) {{ return v; }}", f"constexpr bool auto_{k} = small_{k}<int>;"]),
        [f"con_{k}(x) * 10 + con_{k}(1)"],
        needs="20",
    )


# ---- types


@piece(3)
def own_type(r, k):
    how = r.choice(
        [
            "namespace {{ struct own_{k} {{ int v = {k}; explicit operator long() const {{ return v; }} }}; }}",
            "namespace {{ class own_{k} {{ int v; public: own_{k}() noexcept; long get() const&; long get() &&; friend long peek_{k}(const own_{k}& o) {{ return o.v; }} explicit operator long() const; }};\n"
            "own_{k}::own_{k}() noexcept : v{{{k}}} {{}}\nlong own_{k}::get() const& {{ return v; }}\nlong own_{k}::get() && {{ return -v; }}\nown_{k}::operator long() const {{ return v + peek_{k}(*this); }} }}",
            "struct own_{k} {{ int v = {k}; operator long() const {{ return v; }} own_{k}& operator++() {{ ++v; return *this; }} }};",
            "namespace mine_{k} {{ struct own_{k} final {{ long v{{{k}}}; virtual long get() {{ return v; }} operator long() {{ return get(); }} }}; }} using mine_{k}::own_{k};",
            "union own_{k} {{ long v = {k}; char c[8]; operator long() const {{ return v; }} }};",
            "enum class own_{k} : long {{ own_{k}_a = {k} }};",
            "struct [[maybe_unused]] alignas(16) own_{k} {{ int v : 7; int w : 3; own_{k}() : v({k} & 31), w(1) {{}} operator long() const {{ return v + (long)alignof(own_{k}); }} }};",
            "struct __attribute__((packed)) own_{k} {{ char c = 1; long v = {k}; operator long() const {{ return v + (long)sizeof(own_{k}); }} }};",
            "struct own_{k} {{ own_{k}() try : v(fail()) {{}} catch (const boom&) {{ }} static int fail() {{ return {k}; }} int v; operator long() const {{ return v; }} }};",
            "struct base_{k} {{ virtual ~base_{k}() {{}} virtual long get() const = 0; }};\nnamespace {{ struct own_{k} : base_{k} {{ long get() const override {{ return {k}; }} operator long() const {{ return get(); }} }}; }}",
            "typedef struct {{ long v; }} own_{k};",
            "namespace {{ struct own_{k} {{ static int made; own_{k}() {{ made++; }} operator long() const {{ return made; }} }}; int own_{k}::made = {k}; }}",
            "struct own_{k} {{ inline static int made = {k}; operator long() const {{ return ++made; }} }};",
            "namespace {{ class own_{k} {{ long v = {k}; template <class T> friend long peep_{k}(const T&); friend struct tag0; public: template <class T> explicit operator T() const {{ return (T)v; }} }}; template <class T> long peep_{k}(const T& o) {{ return o.v; }} }}",
            "struct own_{k} {{ using function = long (*)(long); operator function() const {{ return [](long v) {{ return v + {k}; }}; }} explicit operator bool() const&& noexcept {{ return true; }} operator long() & {{ return 2; }} operator long() && {{ return (*this)(3); }} }};",
            "namespace {{ struct own_{k} {{ int v[2] = {{1, {k}}}; int& operator[](int i) & {{ return v[i]; }} int operator[](int i) && {{ return -v[i]; }} auto begin() -> int* {{ return v; }} auto end() -> int* {{ return v + 2; }} operator long() {{ long n = 0; for (int i : *this) n += i; return n + own_{k}()[1]; }} }}; }}",
            "struct own_{k} {{ long v = {k}; friend own_{k} operator+(own_{k} a, long b) {{ a.v += b; return a; }} friend bool operator<(own_{k}, own_{k}) {{ return false; }} operator long() const {{ return v; }} }};",
        ]
    )
    use = f"own_{k}{{2}}.v" if "typedef" in how else f"(long)own_{k}::own_{k}_a" if "enum class" in how else f"(long)own_{k}()"
    if "virtual long get()" in how and "base_" not in how:
        use = f"[] {{ own_{k} o; return (long)o; }}()"
    if "noexcept;" in how:
        use = f"((long)own_{k}() + own_{k}().get())"
    lazy = None if "::made = " in how else True
    return Piece(how.format(k=k), [use], lazy=lazy)


@piece(1)
def header_class_specialised(r, k):
    """a class template of the header, for a type of this file"""
    return Piece(f"namespace {{ struct mark_{k}; }}\ntemplate <> struct wrap<mark_{k}> {{ long v = {k}; }};", [f"wrap<mark_{k}>{{}}.v"])


@piece(2)
def alias(r, k):
    how = r.choice(
        [
            ("using also_{k} = long;", "also_{k}(x)"),
            ("typedef unsigned char also_{k};", "(long)also_{k}(x)"),
            ("typedef long (*also_{k})(long);", "(long)sizeof(also_{k})"),
            ("typedef int also_{k}[3], *more_{k};", "(long)sizeof(also_{k})"),
            ("template <class T> using also_{k} = wrap<T>;", "(long)sizeof(also_{k}<int>)"),
            ("using also_{k} [[maybe_unused]] = small;", "(long)also_{k}{{3, 4}}.b"),
            ("using also_{k} = int (&)[3];", "(long)sizeof(also_{k})"),
            ("using also_{k} = decltype(small::a);", "(long)also_{k}(x)"),
            ("using namespace host_space;", "(long)from_space(x)"),
            ("using host_space::from_space;", "(long)from_space(x)"),
            ("namespace hs_{k} = host_space;", "(long)hs_{k}::from_space(x)"),
            ("namespace hs_{k} = ::host_space; namespace ht_{k} = hs_{k}; using namespace ht_{k};", "(long)ht_{k}::from_space(x)"),
            ("namespace local_{k} {{ using host_space::from_space; constexpr int two = 2; }}\nnamespace lo_{k} = local_{k};", "(long)lo_{k}::from_space(lo_{k}::two)"),
            ("namespace a_{k} {{ namespace b_{k} {{ inline long f_{k}(long v) {{ return v + {k}; }} }} }}\nnamespace ab_{k} = a_{k}::b_{k};\nusing namespace a_{k};", "b_{k}::f_{k}(x) + ab_{k}::f_{k}(x)"),
            ("namespace a_{k}::b_{k} {{ inline namespace c_{k} {{ struct g_{k} {{ long v = {k}; }}; }} }}\nusing namespace a_{k}::b_{k};\nusing f_{k} = g_{k};", "f_{k}{{}}.v"),
            ("namespace {{ namespace a_{k} {{ enum e_{k} {{ one_{k} = {k} }}; }} using namespace a_{k}; }}", "(long)one_{k}"),
            ("namespace [[deprecated]] old_{k} {{ inline long f(long v) {{ return v; }} }}", "x"),
            ("namespace __attribute__((visibility(\"hidden\"))) vis_{k} {{ inline long f(long v) {{ return v + 1; }} }}", "vis_{k}::f(x)"),
            ("namespace a_{k} {{ using x = long; }} using a_{k}::x; ", "(long)sizeof(a_{k}::x)"),
        ]
    )
    if "using a_{k}::x" in how[0]:
        return Piece(how[0].replace("using a_{k}::x; ", "").format(k=k), [how[1].format(k=k)])
    return Piece(how[0].format(k=k), [how[1].format(k=k)])


@piece(1)
def using_enum(r, k):
    return Piece(
        r.choice(
            [f"using enum mode;\nstatic long mode_{k}() {{ return (long)fast; }}", f"static long mode_{k}() {{ using enum mode; return (long)slow; }}"]
        ),
        [f"mode_{k}()"],
        needs="20",
    )


# ---- macros and directives


@piece(3)
def directive(r, k):
    how = r.choice(
        [
            f"#if 0\nthis is \" no 'C++ {{ (\n#endif",
            f"#ifdef NOWHERE_{k}\nint external_{k}; {{{{{{\n#else\nstatic int there_{k} = 1;\n#endif",
            f"#if __has_include(<nowhere_{k}.h>)\n#error it is there\n#elif defined(__cplusplus) && __cplusplus >= 201703L\nstatic const int there_{k} = 2;\n#else\n#error old\n#endif",
            f"#ifndef ONCE_{k}\n#define ONCE_{k} 1\n#endif\n#if ONCE_{k} // comment\nconstexpr int there_{k} = ONCE_{k};\n#endif",
            f"#if (1 ? 2 : \\\n  3) == 2\nstatic int there_{k};\n#endif",
            f"#\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wunused\"\nstatic int unused_{k};\n#pragma GCC diagnostic pop",
            f"_Pragma(\"GCC diagnostic push\")\nstatic int unused_{k};\n_Pragma(\"GCC diagnostic pop\")",
            f"#line {100 + k} \"other_{k}.cpp\"",
            f"#line {1000 + k}",
            f"static_assert(sizeof(small) >= 8, \"{{\");\nstatic_assert(1 < 2 && (3 > 2));",
            f"#if defined(__HIP_DEVICE_COMPILE__)\ntemplate <> broken<{k}>(;\n#endif",
            f"#ifdef __has_cpp_attribute\n# if __has_cpp_attribute(nodiscard)\n[[nodiscard]]\n# endif\n#endif\nstatic int attr_{k}() {{ return 1; }}",
            f"%:define digraph_{k} 1\n%:if digraph_{k}\nstatic int di_{k};\n%:endif",
            f"#pragma once_upon_a_time_{k}",
            f"/* a comment /* with an opening \" and a template<> */",
            f"// a comment with a backslash \\\ntemplate <> int gone_{k}<1>() {{ return 1; }}",
            f"#undef NEVER_DEFINED_{k}",
            f";\n;;",
            f"#ident \"generated\"",
        ]
    )
    lazy = None if "external_" in how or "broken<" in how or "_Pragma" in how or "%:" in how or how.startswith("#ifdef __has_cpp") else True
    return Piece(how, lazy=lazy)


@piece(4)
def macro(r, k):
    n = r.randint(1, 9)
    how = r.choice(
        [
            (f"#define INIT_{k} {n}\nstatic int macro_{k}[2] = {{INIT_{k}, INIT_{k} + 1}};", f"(long)(macro_{k}[x & 1] += 1)", True),
            (f"#define INIT_{k} {{{n}, {n} + 1}}\nnamespace {{ long macro_{k}[2] = INIT_{k}; }}", f"(macro_{k}[x & 1] += 1)", True),
            (f"#define INIT_{k}(a, b) {{(a) * {n}, b}}\nstatic short macro_{k}[2] = INIT_{k}(2, 3);", f"(long)(macro_{k}[x & 1] += 1)", True),
            (f"#define N_{k} {n}\n#define INIT_{k} (N_{k} << 1)\nstatic long long macro_{k}[] = {{N_{k}, INIT_{k}}};", f"(long)(macro_{k}[x & 1] += 1)", True),
            (f"#define PLUS_{k}(a, ...) ((a) + {k})", f"PLUS_{k}(x, 1, 2)", True),
            (f"#define VALUE_{k} {k}\nstatic const int value_{k} = VALUE_{k};", f"(long)value_{k}", True),
            (f"#define TYPE_{k} long\nstatic TYPE_{k} typed_{k}(TYPE_{k} v) {{ return v; }}", f"typed_{k}(x)", True),
            (f"#define INTERNAL_{k} static\nINTERNAL_{k} long typed_{k}(long v) {{ return v; }}", f"typed_{k}(x)", None),
            (f"#define OPEN_{k} namespace in_{k} {{\n#define CLOSE_{k} }}\nOPEN_{k} inline long f(long v) {{ return v; }} CLOSE_{k}", f"in_{k}::f(x)", None),
            (f"#define HELPER_{k}(name) static long name(long v) {{ return v + {k}; }}\nHELPER_{k}(made_{k})", f"made_{k}(x)", None),
            (f"#define CAT_(a, b) a##b\n#define CAT_{k}(a, b) CAT_(a, b)\nstatic long CAT_{k}(glued_, {k})(long v) {{ return v; }}", f"glued_{k}(x)", None),
            (f"#define EMPTY_{k}\nEMPTY_{k} static EMPTY_{k} long emp_{k}(long v) EMPTY_{k} {{ return v; }}", f"emp_{k}(x)", True),
            (f"#define STR_{k}(x) #x\nstatic const char* str_{k} = STR_{k}(a }} \" b \");", f"(long)str_{k}[x & 1]", None),
            (f"#define BEGIN_{k} {{\n#define END_{k} }}\nstatic long be_{k}(long v) BEGIN_{k} return v + 1; END_{k}", f"be_{k}(x)", None),
        ]
    )
    return Piece(how[0], [how[1]], lazy=how[2])


@piece(1)
def declarations(r, k):
    how = r.choice(
        [
            (f"extern \"C\" int abs(int);", "(long)abs((int)x)"),
            (f"extern \"C\" {{ int abs(int); long labs(long) noexcept; }}", "labs(x)"),
            (f"extern long not_defined_{k}(long);", "x"),
            (f"extern int nowhere_{k};", "x"),
            (f"long not_defined_{k}(long v = {k}), other_{k}(int);", "x"),
            (f"struct forward_{k};\nenum class later_{k} : int;\ntemplate <class> struct tempf_{k};", "x"),
            (f"template <class T> long undefined_{k}(T);", "x"),
            (f"extern template struct filled<tag0>;", "filled<tag0>{}.get()"),
            (f"void operator\"\"_u{k}(unsigned long long);", "x"),
            (f"static constexpr long operator\"\"_w{k}(unsigned long long v) {{ return v + 1; }}", f"5_w{k}"),
            (f"auto trailing_{k}(long) -> small;", "x"),
            (f"typedef int (small::*member_{k})() const;", "x"),
            (f"namespace {{ }}", "x"),
            (f"long é_{k}(long);\nstatic int ñ_{k} = 2;", f"(long)(ñ_{k}++)"),
            (f"static int \\u00f1u_{k} = 2;", f"(long)(\\u00f1u_{k}++)"),
        ]
    )
    return Piece(how[0], [how[1]], lazy=None if "extern template" in how[0] or "é" in how[0] or "\\u00f1" in how[0] else True)


@piece(2)
def typeids(r, k):
    """type_info of the header's classes and of this file's; what <typeinfo> throws"""
    how = r.choice(
        [
            (f"static long types_{k}(const shape& s) {{ return typeid(s) == typeid(square) ? 5 : sum_name(typeid(s)); }}", f"types_{k}(square{{}}) + types_{k}(shape{{}})"),
            (f"namespace {{ struct own_{k} : shape {{ long area() const override {{ return {k}; }} }}; }}", f"same_type(typeid(own_{k}), typeid(shape)) + sum_name(typeid(own_{k}))"),
            (f"template <class T> inline long named_{k}() {{ return sum_name(typeid(T)); }}", f"named_{k}<wrap<tag0>>() + named_{k}<typed_square<square>>()"),
            (f"static const std::type_info& info_{k}(long v) {{ return v & 1 ? typeid(small) : typeid(int[3]); }}", f"sum_name(info_{k}(x))"),
            (f"static long cast_{k}(const shape& s) {{ try {{ return dynamic_cast<const typed_square<shape>&>(s).area(); }} catch (const std::bad_cast&) {{ return {k}; }} }}", f"cast_{k}(square{{}}) + cast_{k}(typed_square<shape>{{}})"),
            (f"static long null_{k}(shape* s) {{ try {{ return sum_name(typeid(*s)); }} catch (std::bad_typeid&) {{ return {k}; }} }}", f"null_{k}(nullptr)"),
            (f"static auto type_{k} = [] {{ return &typeid(tag1); }};", f"same_type(*type_{k}(), typeid(tag1))"),
        ]
    )
    return Piece(how[0], [how[1]], lazy=None if "static auto" in how[0] else True, needs="typed")


@piece(1)
def sibling(r, k):
    """what another unit defines, which a unit that is loaded apart would lack"""
    how = r.choice(
        [
            ("", "from_host(x)"),
            ("", "++host_count"),
            ("", "hosted{x}.v"),
            ("", "(hosted(x) % 7L).v"),
            ("", "(hosted{3} + x).v"),
            (f"static long turned_{k}(const hosted& h) {{ return h ? {k} : 2; }}", f"turned_{k}(hosted{{x}})"),
            (f"namespace {{ struct own_{k} : hosted {{ using hosted::hosted; long get() const override {{ return {k}; }} }}; }}", f"own_{k}(x).get()"),
            (f"static long known_{k}(const shape& s) {{ return dynamic_cast<const hosted*>(&s) ? 1 : {k}; }}", f"known_{k}(square{{}})"),
        ]
    )
    return Piece(how[0], [how[1]], lazy=None)


# ---- the device


@piece(3)
def kernel(r, k):
    """kernels of the unit and of the header, and their launches: without a GPU each says that there is none"""
    how = r.choice(
        [
            (f"template <int N> __global__ void kern_{k}(long* out) {{ *out = N; }}\nstatic long go_{k}() {{ kern_{k}<{k}><<<1, 1>>>(nullptr); return launched(); }}", f"go_{k}()", True),
            (f"template <class T> static __global__ void __launch_bounds__(128) kern_{k}(T* out) {{ extern __shared__ char room_{k}[]; *out = room_{k}[0]; }}", f"(kern_{k}<float><<<2, 3, 64>>>(nullptr), launched())", None),
            (f"namespace {{ __global__ void kern_{k}(int v) {{ (void)v; }} }}", f"(kern_{k}<<<1, 1>>>((int)x), launched())", None),
            (f"static __global__ void kern_{k}(small v) {{ (void)v; }}", f"(kern_{k}<<<dim3(1, 2), dim3(4)>>>(small{{1, 2}}), launched())", None),
            (f"namespace kernels_{k} {{ template <int N> __global__ void kern(wrap<tag0> v) {{ (void)v; }} }}", f"(kernels_{k}::kern<2><<<1, 1>>>(wrap<tag0>{{}}), launched())", True),
            (f"static long go_{k}() {{ return launch<{k}>(); }}", f"go_{k}() + launch<{k + 1}>()", True),
            ("", "launch<7>()", True),
            ("", "(scale<3><<<1, 64>>>((float*)nullptr, 2.5f), launched())", True),
            (f"static long kept_{k}() {{ static auto f = &fill<{k}>; return f != nullptr; }}", f"kept_{k}()", True),
            (f"struct functor_{k} {{ __host__ __device__ long operator()(long v) const {{ return v + {k}; }} }};\ntemplate <class F> __global__ void apply_{k}(F f, long* out) {{ *out = f(1); }}", f"(apply_{k}<<<1, 1>>>(functor_{k}{{}}, (long*)nullptr), launched() + functor_{k}{{}}(x))", True),
        ]
    )
    return Piece(how[0], [how[1]], lazy=how[2], needs="launch")


@piece(2)
def device_code(r, k):
    how = r.choice(
        [
            (f"static inline __attribute__((host)) __attribute__((device)) long both_{k}(long v) {{ return v + {k}; }}", f"both_{k}(x)", True),
            (f"#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)\nconstexpr long side_{k} = 2;\n#else\nconstexpr long side_{k} = 3;\n#endif", f"side_{k}", None),
            (f"template <class T> __attribute__((device)) T dev_{k}(T v) {{ return v * {k}; }}", "x", True),
            (f"struct both_{k} {{ long v; __attribute__((host)) __attribute__((device)) both_{k}(long w) : v(w) {{}} __attribute__((device)) long only() const {{ return v; }} }};", f"both_{k}(x).v", True),
            (f"__attribute__((device)) static int state_{k} = {k};", "x", None),
            (f"__attribute__((constant)) static int fixed_{k}[2] = {{1, {k}}};", "x", None),
            (f"static constexpr __attribute__((host)) __attribute__((device)) long cx_{k}(long v) {{ return v - {k}; }}", f"cx_{k}(x)", True),
        ]
    )
    return Piece(how[0], [how[1]], lazy=how[2], needs="device")


# ---- what makes it no blob


@piece(1)
def external(r, k):
    how = r.choice(
        [
            (f"int global_{k} = {k};", f"(long)(global_{k}++)"),
            (f"long outside_{k}(long v) {{ return v + {k}; }}", f"outside_{k}(x)"),
            (f"extern \"C\" long c_{k}(long v) {{ return v + {k}; }}", f"c_{k}(x)"),
            (f"__attribute__((weak)) long weak_{k}(long v) {{ return v + {k}; }}", f"weak_{k}(x)"),
            (f"extern const int ext_{k} = {k};", f"(long)ext_{k}"),
            (f"template struct filled<wrap<char[{k % 90 + 1}]>>;", f"filled<wrap<char[{k % 90 + 1}]>>{{}}.get()"),
            (f"template <> long filled<char[{k % 90 + 1}]>::get() {{ return {k}; }}", f"filled<char[{k % 90 + 1}]>{{}}.get()"),
            (f"template <> int filled<short[{k % 90 + 1}]>::made = {k};", f"(long)filled<short[{k % 90 + 1}]>::made"),
            (f"template long filled<int[{k % 90 + 1}]>::get();", f"filled<int[{k % 90 + 1}]>{{}}.get()"),
            (f"struct out_{k} {{ long get() const; }};\nlong out_{k}::get() const {{ return {k}; }}", f"out_{k}{{}}.get()"),
            (f"namespace named_{k} {{ long f(long v) {{ return v + 1; }} }}", f"named_{k}::f(x)"),
            (f"struct ops_{k} {{ }};\nops_{k} operator-(ops_{k} a, int) {{ return a; }}", f"(long)sizeof(ops_{k}{{}} - 1)"),
            (f"template int tuned<{k}>;", f"(long)tuned<{k}>"),
            (f"template <> int tuned<{k}> = {k};", f"(long)tuned<{k}>"),
            (f"template <class T> long mine_{k}(T v) {{ return (long)v; }}\ntemplate long mine_{k}<int>(int);", f"mine_{k}((int)x)"),
            (f"template <> long holder::get<{k}>() const {{ return {k}; }}", f"holder{{}}.get<{k}>()"),
            (f"template long holder::made<{k}>();", f"holder::made<{k}>()"),
            (f"template <> long holder::made<{k}>() {{ return {k}; }}", f"holder::made<{k}>()"),
            (f"template holder::operator wrap<char[{k % 90 + 1}]>() const;", f"(holder{{}}.operator wrap<char[{k % 90 + 1}]>()).v"),
            (f"template <> template <> long nest<tag0>::in<int[{k % 90 + 1}]>(int) {{ return {k}; }}", f"nest<tag0>::in<int[{k % 90 + 1}]>(1)"),
            (f"template <class T> struct far_{k} {{ T v = {k}; T get() const&; }};\ntemplate <class T> T far_{k}<T>::get() const& {{ return v; }}\ntemplate struct far_{k}<long>;", f"far_{k}<long>{{}}.get()"),
            (f"static long before_{k} = 1;\nlong both_{k} = before_{k} + {k};", f"++both_{k}"),
            (f"thread_local int tls_{k} = {k};", f"(long)(tls_{k}++)"),
            (f"inline noisy shown_{k}({k});", f"(long)shown_{k}.v"),
            (f"__attribute__((constructor)) static void at_load_{k}() {{ say(\"constructor\", {k}); }}", "x"),
            (f"asm(\".pushsection .comment\\n.popsection\");", "x"),
            (f"__attribute__((used)) static int used_{k} = say(\"used\", {k});", f"(long)used_{k}"),
            (f"inline int early_{k} = say(\"inline\", {k});", f"(long)early_{k}"),
            (f"template <class T> int each_{k} = say(\"each\", {k});\ntemplate int each_{k}<char>;", "x"),
        ]
    )
    return Piece(how[0], [how[1]], lazy=False)
