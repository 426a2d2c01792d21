"""Dispatchers by hand, one for each form that becomes a table and one for each reason not to.

Each is the same small chain with one thing changed. What is expected is how often something is rewritten: ERASED with
helpers erased only, TABLES with tables. A number that a form leaves open is not looked at.
"""

from typing import NamedTuple


class Form(NamedTuple):
    name: str
    text: str
    header: str
    erased: dict
    tables: dict
    known: str  # why it is known to differ: it may, until that is mended


FORMS = []
ROWS = 8
HELPER = """template <typename A, typename B>
float h(const stream& s, args a)
{
    if(s.log_level_ > 0)
        note((one_get_name_<A>() + two_get_name_<B>()).c_str());
    return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); },
            [=](const stream& s_){ two_oneshot_<B>(s_, a); });
}
"""
VOID = """template <typename A, typename B>
float h(const stream& s, args a)
{
    if constexpr (!std::is_same_v<B, void>)
        return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); },
            [=](const stream& s_){ two_oneshot_<B>(s_, a); });
    else
        return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); });
}
"""


def trait(i):
    return (
        f"fwd_traits_<{32 * i + 32}, fp16, false, {i}, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, "
        f"true, {'true' if i % 2 else 'false'}>"
    )


def direct(i):
    return f"using trait_ = {trait(i)}; return fwd_<trait_>(s, a);"


def helped(i):
    return (
        f"using a_ = one_traits_<32, fp16, {i}, true>; using b_ = two_traits_<{i + 8}, bf16, 4, false>; "
        "r = h<a_, b_>(s, a); return r;"
    )


def guards(i):
    return f"(t.hdim_q <= {8 * i}) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)"


def chain(cond=guards, leaf=direct, link="else ", between="", rows=ROWS, end=""):
    """cond and leaf: functions of the row, or what one row in the middle has instead"""
    out = []
    for i in range(rows):
        c = cond(i) if callable(cond) else cond if i == 4 else guards(i)
        b = leaf(i) if callable(leaf) else leaf if i == 4 else direct(i)
        out.append(f"    {(between + link) if i else ''}if ({c}) {{ {b} }}\n")
    return "".join(out) + end


def also(atom):
    """ATOM in the middle of every second row"""
    return lambda i: f"(t.hdim_q <= {8 * i}) && {atom} && (a.seqlen_q % 8 == 0)" if i % 2 else guards(i)


def form(
    name,
    tables,
    body,
    header="",
    before="",
    start="    float r = -1;\n",
    erased=0,
    params="traits t, args a",
    function="float dispatch({}, const stream& s)",
    helpers=None,
    end="    return r;\n",
    known="",
):
    """TABLES is how many chains become tables; one of which has all ROWS if BODY is the plain chain"""
    text = f'#include "gen.hpp"\n{before}{function.format(params)} {{\n{start}{body}{end}}}\n'
    header += f"\nfloat dispatch({params}, const stream& s);\n" if function.startswith("float dispatch(") else ""
    want = {} if tables is None else {"tables": tables}
    if tables == 1 and body.count("if (") == ROWS:
        want["rows"] = ROWS
    if helpers is not None:
        want["helpers"] = helpers
    FORMS.append(Form(name, text, header, {"helpers": erased, "tables": 0}, want, known))


def files(f):
    pools = (
        "t_data_type, 0, 1, 2, END, t_hdim_q, 0, 8, 16, 17, 31, 56, END, t_has_lse, 0, 1, 1, END, "
        "a_seqlen_q, 0, 8, 9, END, a_p, 0, 1, 2, END, "
        "a_n, 0, 1, 2, 3, END, a_vol, 1, 2, END, t_tag, 2, 3, END, a_word, 0, 1, END,"
    )
    call = "dispatch<2>(t, a, s)" if "<int V> float dispatch" in f.header else "dispatch(t, a, s)"
    driver = (
        f'#include "gen.hpp"\n#include DISPATCH\nstatic const int pools[] = {{{pools} END}}, rows[] = {{END}};\n'
        f"static float call(traits& t, args& a, const stream& s) {{ return {call}; }}\n"
        'static const dispatcher all[] = {{"dispatch", call, rows, pools}};\n'
        "int main(int argc, char** argv) { return drive_all(all, 1, argc, argv); }\n"
    )
    header = f'#ifndef GEN_HPP\n#define GEN_HPP\n#include "world.hpp"\n{f.header}\n#endif\n'
    return {"gen.hpp": header, "dispatch.cpp": f.text, "driver.cpp": driver}


# ---- become tables

form("plain", 1, chain())
form("sequence of ifs that return", 1, chain(link=""))
form(
    "assigned, then returned",
    1,
    chain(leaf=lambda i: f"using trait_ = {trait(i)};\n r = fwd_<trait_>(s, a);\n return r;"),
)
form("no alias", 1, chain(leaf=lambda i: f"return fwd_<{trait(i)}>(s, a);"))
form("alias of an alias", 1, chain(leaf=lambda i: f"using x_ = {trait(i)}; using y_ = x_; return fwd_<y_>(s, a);"))
form("helper in the text", 1, chain(leaf=helped), before=HELPER, erased=1)
form("helper in the header", 1, chain(leaf=helped), header=HELPER)
form(
    "nested guards",
    1,
    '    if(t.data_type.compare("fp16") == 0) {\n    if (t.hdim_q <= 64 && t.hdim_v <= 64) {\n'
    + chain()
    + "    }\n    else if (t.hdim_q <= 128) {\n"
    + chain(leaf=lambda i: direct(i + 8))
    + "    }\n    }\n",
)
form(
    "split-kv",
    1,
    chain(
        leaf=lambda i: (
            f"using a_ = one_traits_<32, fp16, {i}, true>;\n using acc = typename type_config<fp16>::acc;\n"
            "constexpr int kM0 = tile::tile_sizes<acc, /*n=*/32>::kM0;\n static_assert(64 % kM0 == 0);\n"
            "if (t.has_lse) { if constexpr (std::is_same_v<fp16, fp8>) { return -1; } else {\n"
            f"using b_ = two_traits_<{i}, fp16, 8, true>;\n return h<a_, b_>(s, a); }} }}\n"
            f"else {{ using b_ = two_traits_<{i}, fp16, 8, false>;\n return h<a_, b_>(s, a); }}"
        )
    ),
    before=HELPER,
    erased=1,
)
form(
    "specialisation",
    1,
    chain(),
    function="template <> float dispatch<2>({}, const stream& s)",
    header="template <int V> float dispatch(traits t, args a, const stream& s);",
)
form("true and comments", 1, chain(cond=also("(true/*group && mode*/) && ((true) && (true)) /* { */")))
form("or in parentheses", 1, chain(cond=also("(a.n == 0 || a.n % 2 != 0)")))
form("guarded within one conjunct", 1, chain(cond=also("(a.n != 0 && a.m % a.n == 0)")))
form(
    "enumerations and null pointers",
    1,
    chain(cond=also("(t.mask_type != mask_enum::no_mask) && ((a.block_table_ptr != nullptr) == true)")),
)
form("same row twice", 1, chain(cond=lambda i: guards(i // 2)))
form("rows that cannot match", 1, chain(cond=also("(t.has_lse == true) && (t.has_lse == false)")))
LAUNCHER = VOID + """struct launcher
{
    std::function<float(args, const stream&)> run{};
    launcher(const traits& t);
    template <typename A, typename B, typename Arch> void init(const traits& t)
    {
        note(long(two_ws_size_<A, Arch>(t.batch)));
        run = [](args a, const stream& s) { return h<A, B>(s, a); };
    }
};
inline float dispatch(traits t, args a, const stream& s) { launcher l(t); return l.run ? l.run(a, s) : -1; }
"""


def traits_only(i):
    return f"(t.hdim_q <= {8 * i}) && (t.has_lse == true)"


form(
    "launcher, init",
    1,
    chain(
        cond=traits_only,
        leaf=lambda i: (
            f"using a_ = one_traits_<32, fp16, {i}, true>; using b_ = "
            f"{'void' if i % 2 else f'two_traits_<{i}, fp16, 4, true>'}; this->init<a_, b_, tile::gfx9>(t); return;"
        ),
    ),
    header=LAUNCHER,
    function="launcher::launcher(const traits& t)",
    start="",
    end="",
)
form(
    "launcher, run",
    1,
    chain(
        cond=traits_only,
        leaf=lambda i: (
            f"using a_ = one_traits_<32, fp16, {i}, true>; using b_ = two_traits_<{i}, fp16, 4, true>; "
            "run = [](args a, const stream& s) { return h<a_, b_>(s, a); }; return;"
        ),
    ),
    header=LAUNCHER,
    function="launcher::launcher(const traits& t)",
    start="",
    end="",
)

# ---- conditions that must be evaluated as often and as late as they are; None: a table or not, but the same

form("increment", 0, chain(cond=also("(++g_counter > 0)")))
form("call of a function with an effect", 0, chain(cond=also("(tick() % 3 != 0)")))
form("effect behind an or", 0, chain(cond=also("(a.n == 2 || tick() > 0)")))
form("assignment", 0, chain(cond=also("(a.n = 2)")))
form("compound assignment", 0, chain(cond=also("((a.n -= 1) > 0)")))
form("comma", 0, chain(cond=also("(tick(), t.has_lse)")))
form("throw", 0, chain(cond=also("(a.n != 2 ? true : throw 5)")))
form("macro with an effect", 0, chain(cond=also("is_ready")), header="#define is_ready (tick() % 3 != 0)")
form("macro for a member", 0, chain(cond=also("(a.n < 3)")), header="#define n n + (tick() > 0)")
form("macro that is an or", 0, chain(cond=also("either")), header="#define either t.skip || t.has_lse")
form("class with operator ==", 0, chain(cond=also("(t.tag == 3)")))
form("class that converts to bool", 0, chain(cond=also("a.flag")))
form("class with operator &&", 0, chain(cond=lambda i: f"a.flag && (t.hdim_q <= {8 * i}) && yes(1)"))
form("class that converts to int", 0, chain(cond=also("(a.watch < 3)")))
form("class with compare", 0, chain(cond=also('(a.word.compare("fp16") == 0)')))
form("class with a mutable member", 0, chain(cond=also("(t.mood == 2)")))
form("volatile", 0, chain(cond=also("(a.vol == 2)")))
form("atomic", 0, chain(cond=also("(g_atomic++ % 2 == 0)")))
form(
    "lambda with an effect",
    0,
    chain(cond=also("(noisy(2) > 3)")),
    start='    float r = -1;\n    auto noisy = [&](int k) { note("noisy"); return a.n + k; };\n',
)
form("lambda in the condition", 0, chain(cond=also("[&] { return ++a.n > 3; }()")))
form(
    "compare that throws",
    None,
    chain(cond=also('(t.data_type.compare(4, 1, "") == 0)')),
    start='    float r = -1; t.data_type += t.skip ? "" : "x"; t.data_type.resize(a.n + 2);\n',
)
form("pointer guarded by a conjunct", None, chain(cond=also("(a.p != nullptr) && (a.p->x > 3)")))
form(
    "pointer guarded by a row before",
    None,
    chain(cond=lambda i: "a.p == nullptr" if i == 0 else f"(a.p->x > {i}) && (t.has_lse == true)"),
)
form("pointer guarded from outside", None, "    if (a.p != nullptr) {\n" + chain(cond=also("(a.p->x > 3)")) + "    }\n")
form("division guarded by a conjunct", None, chain(cond=also("(a.n != 0) && (a.m % a.n == 0)")))
form("division guarded by a row before", None, chain(cond=lambda i: "a.n == 0" if i == 0 else f"(a.m / a.n < {i})"))
form("index guarded by a conjunct", None, chain(cond=also("(a.idx < 4) && (g_table[a.idx] == 1)")))
form("or without parentheses", None, chain(cond=lambda i: f"(t.hdim_q == {8 * i}) && t.skip || a.n > 2"))
form(
    "conditional without parentheses",
    None,
    chain(cond=lambda i: f"(t.hdim_q <= {8 * i}) && t.skip ? t.has_lse : a.n > 2"),
)
form("assignment of a conjunction", 0, chain(cond=lambda i: f"t.skip = t.has_lse && (t.hdim_q <= {8 * i})"))
form("words for operators", None, chain(cond=lambda i: f"t.hdim_q <= {8 * i} and not t.skip or t.has_lse"))
form("less and greater", None, chain(cond=lambda i: f"t.hdim_q < a.n && a.m > ({i})"))
form("declaration in the condition", 0, chain(cond="int q = tick(); q % 2"))
form("pointer declared in the condition", 0, chain(cond="auto p = a.p", leaf=direct))

# ---- branches and what stands around them

form("branch falls out", None, chain(leaf=lambda i: f"using trait_ = {trait(i)}; r = fwd_<trait_>(s, a);"))
form("sequence of branches that fall out", None, chain(leaf=lambda i: f"r += fwd_<{trait(i)}>(s, a);", link=""))
form("other literal", None, chain(leaf=lambda i: f"using trait_ = {trait(i)}; return fwd_<trait_>(s, a) + {i};"))
form(
    "constant of the trait",
    None,
    chain(leaf=lambda i: f"using trait_ = {trait(i)}; return fwd_<trait_>(s, a) + trait_::kM0;"),
)
form(
    "constexpr of the row",
    None,
    chain(leaf=lambda i: f"constexpr int k = one_traits_<{i}, fp16, 4, true>::kD; return fwd_<{trait(0)}>(s, a) + k;"),
)
form(
    "size of a trait's type",
    None,
    chain(leaf=lambda i: f"return fwd_<{trait(i)}>(s, a) + sizeof(std::conditional_t<{i} == 3, char, long>);"),
)
form(
    "static variable",
    None,
    chain(leaf=lambda i: f"static int calls = 0; note(++calls); return fwd_<{trait(i)}>(s, a);"),
)
form("line number", None, chain(leaf=lambda i: f"note(__LINE__); return fwd_<{trait(i)}>(s, a);"))
form(
    "line number behind a helper",
    None,
    chain(leaf=helped) + "    note(__LINE__);\n",
    before=HELPER,
    erased=1,
    known="the erased text has other lines",
)
form("local type", None, chain(leaf=lambda i: f"struct l {{ int k = {i}; }}; return fwd_<{trait(i)}>(s, a) + l().k;"))
form(
    "lambda by reference",
    None,
    chain(leaf=lambda i: f"auto go = [&] {{ a.m++; return fwd_<{trait(i)}>(s, a); }}; return go();"),
)
form(
    "try",
    None,
    chain(leaf=lambda i: f"try {{ return fwd_<{trait(i)}>(s, a); }} catch (std::exception&) {{ return {i}; }}"),
)
form("one odd branch", None, chain(leaf="tick(); return 5;"))
form("empty branch", None, chain(leaf=""))
form("effect between the branches", None, chain(link="", between="tick(); "))
form("assignment between the branches", None, chain(link="", between="a.n++; ", cond=also("(a.n < 5)")))
form(
    "changed by a branch that falls out",
    None,
    chain(link="", cond=also("(a.n < 5)"), leaf=lambda i: f"a.n++; r += fwd_<{trait(i)}>(s, a);"),
)
form("final else", None, chain(end="    else { tick(); return -5; }\n"))
form("code behind the chain", None, chain() + '    note("behind");\n')
form(
    "in a loop",
    None,
    "    for (int i = 0; i < 2; i++) {\n"
    + chain(leaf=lambda i: f"r = fwd_<{trait(i)}>(s, a); continue;")
    + "    tick(); }\n",
)
form(
    "in a switch",
    None,
    "    switch (a.n) { case 1: case 2:\n"
    + chain(leaf=lambda i: f"r = fwd_<{trait(i)}>(s, a); break;")
    + "    tick(); }\n",
)
form("goto", None, "    {" + chain(leaf=lambda i: f"r = fwd_<{trait(i)}>(s, a); goto done;") + "    tick(); }\ndone:\n")
form(
    "label in the chain",
    None,
    "    int rounds = 0;\n"
    + chain(link="", between="again: ", rows=2, leaf="")
    + "    if (rounds++ < 2 && a.n > 1) goto again;\n",
)
form("directive in the chain", None, chain(between="\n#ifdef NOT_DEFINED\nelse if (true) { return 9; }\n#endif\n"))
form("attribute", None, chain(end="    else if (t.skip) [[unlikely]] { return 3; }\n"))
form(
    "if constexpr", None, chain(end=f"    else if constexpr (sizeof(int) == 4) {{ return fwd_<{trait(9)}>(s, a); }}\n")
)
form(
    "no braces",
    None,
    chain(end=f"    else if (t.skip) return fwd_<{trait(9)}>(s, a);\n    else if (a.n) if (a.m) r = 3; else r = 4;\n"),
)
form(
    "local that shadows", None, "    { args b = a; b.n = 3; args& a = b;\n" + chain(cond=also("(a.n == 3)")) + "    }\n"
)
form(
    "names of its own",
    None,
    chain(cond=also("(row < 5) && (mask != 2)")),
    start="    float r = -1; int row = a.n, rows = 3, mask = a.m, i = 4, n = 5, k = 6; (void)(rows + i + n + k);\n",
)
form("arguments by reference", None, chain(cond=also("(a.n < 3)")), params="traits& t, args& a")
form(
    "template",
    None,
    chain(),
    function="template <int V> float dispatch({}, const stream& s)",
    header="template <int V> float dispatch(traits t, args a, const stream& s);\n",
    end="    return r + V;\n",
)
form(
    "helper with a static variable",
    None,
    chain(leaf=helped),
    before=HELPER.replace("{\n", "{\n    static int calls; note(++calls);\n", 1),
)
form(
    "helper that knows its parameter",
    None,
    chain(leaf=helped),
    before=HELPER.replace("{\n", "{\n    note(A::kD);\n", 1),
)
form(
    "helper with if constexpr",
    1,
    chain(leaf=lambda i: helped(i) if i % 2 else helped(i).replace(f"two_traits_<{i + 8}, bf16, 4, false>", "void")),
    before=VOID,
    erased=1,
)
form(
    "helper that changes its arguments",
    None,
    chain(leaf=helped, cond=also("(a.n < 3)")),
    before=HELPER.replace("{\n", "{\n    a.n += 100; note(a.n);\n", 1),
    erased=1,
)
form(
    "two functions in a file",
    None,
    chain(),
    before=HELPER.replace(" h(", " g(") + "static float other(traits t, args a, const stream& s) {"
    "\n    float r = 3;\n"
    + chain(leaf=lambda i: f"using trait_ = {trait(i)}; return all_<trait_>(s, a);")
    + "    return r; }\n",
    erased=1,
    end="    return other(t, a, s);\n",
)
form("text in strings", None, chain(cond=also('(t.data_type != "} else if (a && b) {")')))

# ---- helpers whose erased form means something else today


def helper_form(
    name,
    known,
    body,
    call="h<fp16>(t, a, s)",
    before="",
    params="traits t, args a, const stream& s",
    template="class A",
):
    form(
        name,
        None,
        f"    return {call};\n",
        erased=None,
        known=known,
        header="template <int V> struct n_ {};\nstruct B {};\n",
        before=f"{before}template <{template}>\nfloat h({params})\n{{\n    {body}\n}}\n",
    )


helper_form(
    "constant of the helper as an argument",
    "the wrapper names another k",
    before="constexpr int k = 1;\n",
    body="constexpr int k = 2; return fwd_<std::pair<A, n_<k>>>(s, a);",
)
helper_form(
    "alias of the helper as an argument",
    "the wrapper names another B",
    body="using B = int; return fwd_<std::pair<A, B>>(s, a);",
)
helper_form(
    "type of a parameter as an argument",
    "the wrapper's parameter is a reference",
    body="return fwd_<std::pair<A, decltype(a)>>(s, a);",
)
helper_form(
    "macro that names the parameter",
    "the macro finds another A",
    before="struct A {};\n#define WHO typeid(A).name()\n",
    body="note(WHO); return fwd_<A>(s, a);",
)
helper_form(
    "macro with a static variable",
    "one variable for all instances",
    call="h<fp16>(t, a, s) + h<fp32>(t, a, s)",
    before="#define COUNT static int calls; note(++calls)\n",
    body="COUNT; return fwd_<A>(s, a);",
)
helper_form(
    "line number in the helper", "the erased text has other lines", body="note(__LINE__);\n\n    return fwd_<A>(s, a);"
)
helper_form(
    "temporary as an argument",
    "it is copied, and was not",
    params="counted c, args a, const stream& s",
    before='struct counted { counted() {} counted(const counted&) { note("copy"); } };\n',
    call="h<fp16>(counted(), a, s)",
    body="return fwd_<A>(s, a);",
)
helper_form(
    "moved argument",
    "it is copied, and was moved from",
    params="std::string c, args a, const stream& s",
    call="(r = h<fp16>(std::move(t.data_type), a, s), note(long(t.data_type.size())), r)",
    body="note(long(c.size())); return fwd_<A>(s, a);",
)
helper_form(
    "constant without a definition as an argument",
    "a reference to it is an undefined symbol",
    before="struct c { static const int k = 3; };\n",
    params="int n, args a, const stream& s",
    call="h<fp16>(c::k, a, s)",
    body="note(n); return fwd_<A>(s, a);",
)
form(
    "results of different types",
    None,
    "    auto f = h<fp16>(s, a); auto g = h<fp32>(s, a);\n"
    "    note(std::is_same_v<decltype(f), decltype(g)>); return f() + g();\n",
    erased=None,
    known="auto is one lambda for all",
    before="template <class A> auto h(const stream& s, args a) { return [=] { return fwd_<A>(s, a); }; }\n",
)
