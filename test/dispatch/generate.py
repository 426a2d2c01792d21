"""Writes random dispatchers: generate.py SEED DIR [ck|wild|plain]

DIR gets gen.hpp (declarations, classes, helpers, macros), dispatch.cpp (the text to rewrite) and driver.cpp, which
includes the file that DISPATCH names and calls each dispatcher with arguments that reach its rows or just miss them.

ck      forms of CK's generators only: they must become tables
plain   one dispatcher of CK's form whose rows all differ: what a wrong rewrite is tried on
wild    CK's forms with something in it that a rewrite must not touch, or must keep
"""

import random
import sys
from pathlib import Path

import leaves
from atoms import DTYPES, LOCALS, MACROS, Atom, ck_axes, odd_kinds, wild_atoms

SIZES = [1, 2, 3, 5, 8, 8, 12, 12, 20, 20, 30, 45]
FORMS = ["function", "function", "specialisation", "member", "lambda", "namespace", "static", "reference"]
WILD_FORMS = FORMS + ["template", "changeable", "pointers"]
STRUCTURES = (
    "between after else nested loop switch try goto directive init pointer bare null divide attribute constant label "
    "continue block empty second"
).split()
COMMENTS = ["// if (t.has_lse) { return; } else", "/* } else if (a.n && */", '// "', "/* ' */", '// R"(', ""]


class Row:
    def __init__(self, atoms, branch, head=None):
        self.atoms, self.branch, self.head = atoms, branch, head


class Dispatcher:
    """One function that chooses, with what it needs beside it. Kinds of oddity are in self.odd, none for CK's forms."""

    def __init__(self, rng, number, kind):
        self.rng, self.name, self.kind = rng, f"pick{number}", kind
        self.wild = kind == "wild"
        self.launcher = kind != "plain" and rng.random() < 0.2
        self.form = "launcher" if self.launcher else "function"
        if not self.launcher and kind != "plain":
            self.form = rng.choice(WILD_FORMS if self.wild else FORMS)
        self.sequence = kind != "plain" and rng.random() < 0.2  # ifs one after the other, each with a return
        self.helper_in_header = self.launcher or rng.random() < 0.3
        self.may_be_void = rng.random() < 0.5
        self.odd, self.structure, self.statements = set(), set(), []
        if self.wild:
            self.choose_oddities()
        self.leaf = leaves.direct
        if kind != "plain":
            self.leaf = rng.choice(leaves.LAUNCHER_LEAVES if self.launcher else leaves.CK_LEAVES)
        self.constants = rng.random()  # the same conditions come again
        self.needs = set()
        self.presets = []
        self.serial = 0
        self.size = 12 if kind == "plain" else rng.choice(SIZES)
        if self.leaf in (leaves.direct, leaves.assign) and rng.random() < 0.05:
            self.size = rng.choice([150, 500])  # cheap to compile only if no helper is instantiated

    def choose_oddities(self):
        """Few: what only one thing makes impossible is what a rewrite gets wrong."""
        rng = self.rng
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            kind = rng.randrange(3)
            if kind == 0:
                self.odd.add(rng.choice(odd_kinds(rng)))
            elif kind == 1 and not self.launcher:
                self.structure.add(rng.choice(STRUCTURES))
            else:
                self.statements.append(rng.choice(sorted(set(leaves.wild_statements(rng, 0)) - leaves.KNOWN)))
        if self.structure & {"between", "label"}:
            self.sequence = True
        if self.structure & {"else", "nested", "null", "divide", "init"}:
            self.sequence = False

    # ---- rows

    def conditions(self, axes):
        rng = self.rng
        row = [rng.choice(axis) for axis in axes]
        if self.kind != "plain" and rng.random() < 0.05 and len(row) > 1:
            row.append(rng.choice(row))  # twice
        if self.wild and rng.random() < 0.05:
            row += rng.choice(axes)  # contradicts itself
        for kind in sorted(self.odd):
            if rng.random() < 0.4:
                odd = rng.choice(wild_atoms(random.Random(self.constants))[kind])
                if not self.launcher or " a." not in odd.text.replace("(", " ").replace("!", " "):
                    row.insert(rng.randrange(len(row) + 1), odd)
        if self.form == "launcher":
            row = [
                a
                for a in row
                if a.need not in LOCALS and "a.n" not in a.text and "a.p" not in a.text and "t.has_lse = " not in a.text
            ]
        return row or [Atom("(true)")]

    def branch(self):
        rng, self.serial = self.rng, self.serial + 1
        if self.statements and rng.random() < 0.4 and not self.launcher:
            return list(leaves.wild_statements(rng, self.serial)[rng.choice(self.statements)])
        if self.statements and self.launcher and rng.random() < 0.4:
            return [rng.choice(["tick();", "note(t.batch);", "return;", "run = nullptr;"])] + self.leaf(
                rng, self.serial, self
            )
        if self.wild and rng.random() < 0.02 and not self.launcher:
            return leaves.alias_of_alias(rng, self.serial, self)
        if "continue" in self.structure and rng.random() < 0.3:
            return [f"fwd_<{leaves.fwd_trait(rng, self.serial)}>(s, a);", rng.choice(["continue;", "break;"])]
        if "goto" in self.structure and rng.random() < 0.3:
            return [f"r = fwd_<{leaves.fwd_trait(rng, self.serial)}>(s, a);", "goto done;"]
        return self.leaf(rng, self.serial, self)

    def rows(self, axes, count):
        rng, rows = self.rng, []
        for text, field in (("a.p == nullptr", "a_p"), ("a.n == 0", "a_n")):
            if ("null" if field == "a_p" else "divide") in self.structure:
                use = "(a.p->x > 2)" if field == "a_p" else "(a.m % a.n == 0)"
                rows.append(Row([Atom(text, ((field, 0),))], ["return -3;"]))
                rows.append(Row([Atom(use, ((field, 2), ("a_m", 4)))] + self.conditions(axes[:2]), self.branch()))
        while len(rows) < count:
            rows.append(Row(self.conditions(axes), self.branch()))
            if self.wild and rng.random() < 0.05:
                rows.append(Row(rows[-1].atoms, self.branch()))  # never reached
            if "init" in self.structure and rng.random() < 0.2:
                rows.append(Row([Atom("q > 1")] + self.conditions(axes), self.branch(), "int q = tick() % 4; "))
            if "pointer" in self.structure and rng.random() < 0.2:
                rows.append(Row([], ["a.n = p->x;"] + self.branch(), "auto p = a.p"))
        return rows

    # ---- text

    def condition(self, row):
        if row.head is not None and not row.atoms:
            return row.head
        out = ""
        for i, atom in enumerate(row.atoms):
            if atom.need:
                self.needs.add(atom.need)
            out += (self.rng.choice([" && ", " && ", " && ", " &&\n            ", "&&"]) if i else "") + atom.text
        return (row.head or "") + out

    def chain(self, rows, guards, indent):
        rng, out, pad = self.rng, [], " " * indent
        for i, row in enumerate(rows):
            link = "else " if i and not self.sequence else ""
            body = row.branch
            if i and "between" in self.structure and rng.random() < 0.2:
                out.append(pad + rng.choice(["tick();", "a.n++;", 'note("between");', ";", "x = a.n;"]))
                self.needs.add("x")
            if i and "label" in self.structure and rng.random() < 0.2:
                out.append(f"{pad}label_{self.name}_{id(row) % 10**9}: ;")
            directive = "directive" in self.structure and i and rng.random() < 0.2
            if directive:
                out.append(rng.choice(["#if 1", "#ifdef WORLD_HPP", "#if 0", "#ifdef NOT_DEFINED"]))
            how = " constexpr" if "constant" in self.structure and rng.random() < 0.1 else ""
            text = rng.choice(["true", "sizeof(int) == 8", "(false) && (true)"]) if how else self.condition(row)
            likely = " [[likely]]" if "attribute" in self.structure and rng.random() < 0.3 else ""
            if "bare" in self.structure and rng.random() < 0.3:
                out.append(f"{pad}{link}if{how}({text}) return fwd_<{leaves.fwd_trait(rng, i)}>(s, a);")
            else:
                out.append(f"{pad}{link}if{how}({text}){likely} {{ {rng.choice(COMMENTS) if self.wild else ''}")
                out += [f"{pad}    {line}" if line else "" for line in body]
                out.append(pad + "}")
            if directive:
                out.append("#endif")
            self.presets.append([p for a in guards + row.atoms for p in a.sets])
        return out

    def ending(self, axes, indent):
        pad = " " * indent
        if "else" in self.structure:
            return [pad + "else {"] + [f"{pad}    {line}" for line in self.branch()] + [pad + "}"]
        if "nested" in self.structure:
            return [pad + "else {", *self.chain(self.rows(axes, 3), [], indent + 4), pad + "}"]
        return []

    def nested(self, axes):
        """the guards of CK: data type, then head dimension, then rows"""
        rng, out = self.rng, []
        types = rng.sample(DTYPES, rng.choice([1, 2, 3]))
        each = max(1, self.size // (2 * len(types)))
        for i, dtype in enumerate(types):
            index = DTYPES.index(dtype)
            outer = Atom(f't.data_type.compare("{dtype}") == 0', (("t_data_type", index),))
            out.append(f"    {'else ' if i and not self.sequence else ''}if({outer.text}){{")
            for j, dim in enumerate(sorted(rng.sample(leaves.DIMS, rng.choice([1, 2])))):
                inner = Atom(f"t.hdim_q <= {dim} && t.hdim_v <= {dim}", (("t_hdim_q", dim), ("t_hdim_v", dim)))
                out.append(f"        {'else ' if j and not self.sequence else ''}if ({inner.text}) {{")
                out += self.chain(self.rows(axes, each), [outer, inner], 12)
                out += self.ending(axes, 12) + ["        }", ""]
            out.append("    }\n")
        return out

    def body(self):
        rng = self.rng
        count = 6 if self.kind == "plain" else rng.randrange(2, 13)
        axes = ck_axes(rng, self.launcher)[:count]
        if self.kind == "plain" or rng.random() < 0.4 or self.structure & {"null", "divide"}:
            rows = self.rows(axes, self.size)
            lines = self.chain(rows, [], 4) + self.ending(axes, 4)
        else:
            lines = self.nested(axes)
        if "second" in self.structure:
            lines += self.chain(self.rows(axes, 3), [], 4)
        return self.surround(lines, axes)

    def surround(self, lines, axes):
        around = {
            "loop": (["for (int round = 0; round < 2; ++round) {"], ["a.n = a.m; }"]),
            "continue": (["for (int round = 0; round < 2; ++round) {"], ["note(round); }"]),
            "switch": (["switch (a.n % 3) { case 0: case 1: {"], ["} break; default: r = 5; }"]),
            "try": (["try {"], ['} catch (const std::runtime_error& e) { note("outer"); r = 8; }']),
            "goto": (["{"], ["}", 'done: note("done");']),
            "block": (["{ args b = a; b.n++; { args& a = b; "], ["} }"]),
            "after": ([], ['note("after");']),
            "empty": (["if (a.n > 3) {} else {"], ["}"]),
        }
        for kind in sorted(self.structure):
            before, after = around.get(kind, ([], []))
            lines = ["    " + line for line in before] + lines + ["    " + line for line in after]
        return lines

    def whole(self):
        body = self.body()
        local = [line for need in sorted(self.needs) for line in LOCALS.get(need, [])]
        nothing = [] if self.launcher else ["float r = -1;"]
        if "shadow" in self.needs and "nhead" in self.needs:
            local = [line.replace("nhead", "other") for line in local]
        end = [] if self.launcher else ["    return r;"]
        return ["    " + line for line in nothing + local] + body + end

    # ---- what stands around the body

    def helpers(self):
        types = ", ".join(f"{self.rng.choice(['typename', 'class'])} {t}" for t in ("A", "B", "C"))
        void = self.may_be_void and self.launcher
        last = ["    [=](const stream& s_){ three_oneshot_<C>(s_, a); }"]
        steps = [
            "    [=](const stream& s_){ one_oneshot_<A>(s_, a); },",
            "    [=](const stream& s_){ two_oneshot_<B>(s_, a); }",
        ]
        start = [
            f"template <{types}>",
            f"float {self.name}_h_(const stream& s, args a)",
            "{",
            "    if(s.log_level_ > 0) {",
            "        note(one_get_name_<A>().c_str());",
        ]
        if void:
            call = [
                *start,
                "    }",
                "    if constexpr (!std::is_same_v<C, void>)",
                "        return tile::launch_kernel(s,",
                *steps[:1],
                steps[1] + ",",
                *last,
                "        );",
                "    else",
                "        return tile::launch_kernel(s,",
                *steps,
                "        );",
                "}",
            ]
        else:
            call = [
                *start,
                "        note((two_get_name_<B>() + three_get_name_<C>()).c_str());",
                "    }",
                "    return tile::launch_kernel(s,",
                *steps[:1],
                steps[1] + ",",
                *last,
                "    );",
                "}",
            ]
        two = [
            "template<typename A, typename B>",
            f"static float {self.name}_h2_(const stream& s, args a)",
            "{",
            "    if(s.log_level_ > 0)",
            "        note((one_get_name_<A>() + two_get_name_<B>()).c_str());",
            "    return tile::launch_kernel(s,",
            *steps,
            "    );",
            "}",
        ]
        return (
            call + two if self.leaf in (leaves.lse, leaves.run, leaves.init, leaves.helper, leaves.plain_helper) else []
        )

    def wrap(self):
        """(declaration for the header, text of the dispatcher, how the driver calls it)"""
        n, body = self.name, self.whole()
        params = "(traits t, args a, const stream& s)"
        if self.form == "launcher":
            return self.wrap_launcher(body)
        if self.form in ("reference", "changeable") and not (self.wild and self.form == "reference"):
            const = "const " if self.form == "reference" else ""
            params = f"({const}traits& t, {const}args& a, const stream& s)"
        function = [f"float {n}{params} {{", *body, "}"]
        declared = [f"float {n}{params};"]
        if self.form == "specialisation":
            return (
                [f"template <int V> float {n}{params};", f"template <> float {n}<2>{params};"],
                ["template <>", f"float {n}<2>{params} {{", *body, "}"],
                f"{n}<2>(t, a, s)",
            )
        if self.form == "template":
            return (
                [f"template <int V> float {n}{params};"],
                ["template <int V>", *function, f"template float {n}<2>{params};"],
                f"{n}<2>(t, a, s)",
            )
        if self.form == "member":
            const = " const" if self.rng.random() < 0.5 else ""
            return (
                [f"struct {n}_c {{ int calls = 0; float go{params}{const}; }};"],
                [f"float {n}_c::go{params}{const} {{", *body, "}"],
                f"{n}_c().go(t, a, s)",
            )
        if self.form == "lambda":
            return (
                declared,
                [
                    f"float {n}{params} {{",
                    "    auto choose = [&]() -> float {",
                    *body,
                    "    };",
                    "    return choose();",
                    "}",
                ],
                f"{n}(t, a, s)",
            )
        if self.form == "namespace":
            return (
                [f"namespace outer {{ namespace inner {{ {declared[0]} }} }}"],
                ["namespace outer::inner {", *function, "}"],
                f"outer::inner::{n}(t, a, s)",
            )
        if self.form == "static":
            return (
                [f"float {n}_call{params};"],
                ["namespace {", *function, "}", f"float {n}_call{params} {{ return {n}(t, a, s); }}"],
                f"{n}_call(t, a, s)",
            )
        if self.form == "pointers":
            body = [line.replace("fwd_<", "::fwd_<") for line in body]
            return declared, [f"float {n}{params} {{", *body, "}"], f"{n}(t, a, s)"
        return declared, function, f"{n}(t, a, s)"

    def wrap_launcher(self, body):
        n = self.name
        return (
            [
                *self.helpers(),
                f"struct {n}_l {{",
                "    std::function<float(args, const stream&)> run{};",
                "    size_t workspace_size = 0;",
                "    std::function<void(void*)> prepare_workspace{};",
                f"    {n}_l(const traits& t);",
                "    template <typename T0, typename T1, typename T2, typename Arch>",
                "    void init(const traits& t)",
                "    {",
                f"        run = [](args a, const stream& s) {{ return {n}_h_<T0, T1, T2>(s, a); }};",
                "        const size_t device = two_ws_size_<T1, Arch>(t.batch);",
                "        workspace_size = device + 16;",
                "        prepare_workspace = [this, device](void*) {",
                "            if(two_needs_zero_<T1, Arch>())",
                "                note(long(device + workspace_size));",
                "        };",
                "    }",
                "};",
            ],
            [
                f"{n}_l::{n}_l(const traits& t){{",
                '    run = [](args, const stream&) { note("no kernel"); return -1.f; };',
                *body,
                "}",
            ],
            f"launch<{n}_l>(t, a, s)",
        )


LAUNCH = """template <class L> float launch(traits& t, args& a, const stream& s)
{
    L launcher(t);
    note(long(launcher.workspace_size));
    if(launcher.prepare_workspace)
        launcher.prepare_workspace(nullptr);
    return launcher.run ? launcher.run(a, s) : -7;
}
"""


def pools(dispatchers):
    """for each field what rows want, and neighbours"""
    values = {}
    for d in dispatchers:
        for field, value in (p for row in d.presets for p in row):
            few = field.startswith("t_") and field not in ("t_hdim_q", "t_hdim_v", "t_batch", "t_tag", "t_mood")
            near = (0, 1, 2, 3) if few else (value - 1, value, value + 1, value // 2, 0)
            values.setdefault(field, set()).update(v for v in near if v >= 0)
    text = "".join(f"    {f}, {', '.join(map(str, sorted(v)))}, END,\n" for f, v in sorted(values.items()))
    return f"static const int pools[] = {{\n{text}    END}};\n"


def driver(dispatchers, calls):
    out = ['#include "gen.hpp"', "#include DISPATCH", "", LAUNCH, pools(dispatchers)]
    for d in dispatchers:
        rows = "".join("    " + "".join(f"{f}, {v}, " for f, v in row) + "END,\n" for row in d.presets if row)
        out.append(f"static const int rows_{d.name}[] = {{\n{rows}    END}};")
        out.append(f"static float call_{d.name}(traits& t, args& a, const stream& s) {{ return {calls[d.name]}; }}")
    table = ", ".join(f'{{"{d.name}", call_{d.name}, rows_{d.name}, pools}}' for d in dispatchers)
    out += [
        f"static const dispatcher all[] = {{{table}}};",
        "int main(int argc, char** argv)",
        "{",
        "    return drive_all(all, sizeof all / sizeof *all, argc, argv);",
        "}",
        "",
    ]
    return "\n".join(out)


def generate(seed, directory, kind):
    rng = random.Random(f"{kind} {seed}")
    dispatchers = [Dispatcher(rng, i, kind) for i in range(1 if kind == "plain" else rng.choice([1, 1, 2, 3]))]
    header, text, calls, needs = [], [], {}, set()
    for d in dispatchers:
        declared, function, calls[d.name] = d.wrap()
        helpers = [] if d.launcher else d.helpers()
        (header if d.helper_in_header else text).extend(helpers)
        header += declared
        text += function + [""]
        needs |= d.needs
    macros = [MACROS[n] for n in sorted(needs) if n in MACROS]
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    guard = ["#ifndef GEN_HPP", "#define GEN_HPP", '#include "world.hpp"', ""]
    (directory / "gen.hpp").write_text("\n".join(guard + header + macros + ["#endif", ""]))
    (directory / "dispatch.cpp").write_text("\n".join(["// generated", '#include "gen.hpp"', ""] + text))
    (directory / "driver.cpp").write_text(driver(dispatchers, calls))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    generate(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "wild")
