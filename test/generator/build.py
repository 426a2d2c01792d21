"""A small library made of random parts: a header, units, callers. `build.py SEED DIR [cuda]` writes one to look at.

Everything in it is a chunk with a number; `without` leaves chunks out, so that a difference can be made smaller (compare.py).
"""

import random
import sys
from dataclasses import dataclass, field
from pathlib import Path

from families import (
    CONSTANTS,
    DEVICE,
    HOST,
    LEANS,
    LEANS_HOST,
    LEANS_USES,
    OPERATORS,
    PRELUDE,
    RUNTIMES,
    SHARED,
    SHARED_USES,
    TYPED,
    make_family,
    make_instances,
)
from pieces import PIECES
from toolchain import TOOLCHAINS

STANDARD_HEADERS = ["atomic", "mutex", "string", "vector", "type_traits", "cstddef", "utility", "array", "tuple"]


@dataclass
class Unit:
    name: str
    lazy: bool = True  # may be; None: nothing is promised; False: is no blob
    why: list = field(default_factory=list)
    chunks: list = field(default_factory=list)  # (number, text)
    dispatcher: bool = False
    pure: bool = False  # nothing is to be in it that makes it no blob

    def grade(self, lazy, why):
        if lazy is not True:
            self.why.append(why)
        self.lazy = False if lazy is False or self.lazy is False else None if lazy is None or self.lazy is None else True


class Build:
    """what one seed makes"""

    def __init__(self, seed, forms):
        self.seed = seed
        r = self.r = random.Random(f"units {seed}")
        self.numbers = 0
        self.form = r.choices(forms, [f.share for f in forms])[0]
        self.language = r.choice(self.form.words)
        self.std = 20 if r.random() < 0.25 else 17
        self.executable = r.random() < 0.3
        self.shares = r.random() < 0.15
        self.own = random.Random(f"what the caller has {seed}")
        self.leans = self.own.random() < 0.2  # on what the caller defines
        self.caller_shares = self.shares and self.own.random() < 0.4
        self.typed = r.random() < 0.2  # <typeinfo> is in the header
        self.has = {self.form.device and "device", self.form.runtime and "launch", self.typed and "typed", self.std == 20 and "20"}
        self.flags = [f"-std=c++{self.std}", "-O0", "-w", "-fPIC", *r.choice([[], [], ["-fvisibility=hidden"]])]
        self.passes = r.random() < 0.25  # kernels are compiled in passes, with a precompiled header; else by the plain command
        self.header = []
        self.units = []
        self.broken = ""
        self.families = [make_family(r, n, self.std, self.typed) for n in range(r.randint(1, self.form.most))]
        self.overload()
        for f in self.families:
            make_instances(r, f, r.randint(1, 3))
        self.write_header()
        todo = [i for f in self.families for i in f.instances]
        r.shuffle(todo)
        count = min(len(todo), r.randint(1, self.form.most))
        shares = [todo[i::count] for i in range(count)]
        for n, share in enumerate(shares):
            self.units.append(self.blob(n, share))
        if r.random() < 0.2:
            self.units.append(self.including())
        self.callers(todo)
        if r.random() < 0.04:
            self.breaks()

    def overload(self):
        """two of the families have one name"""
        if len(self.families) < 2 or self.r.random() > 0.2:
            return
        first, other = self.families[:2]
        types = lambda f: [p[0] for p in f.parameters]
        if types(first) != types(other) and not first.name.startswith("operator") and not other.name.startswith("operator"):
            other.name, other.spaces = first.name, first.spaces
            first.overloaded = other.overloaded = True

    # ---- parts

    def chunk(self, into, text):
        self.numbers += 1
        into.append((self.numbers, text))

    def write_header(self):
        r = self.r
        guard = r.choice(["#pragma once\n", "#ifndef LIB_HPP\n#define LIB_HPP\n"])
        runtime = RUNTIMES[self.form.device] if self.form.runtime else ""
        parts = [runtime, TYPED if self.typed else "", PRELUDE, SHARED if self.shares else "", LEANS if self.leans else "", DEVICE if runtime else ""]
        self.header.append((0, guard + "".join(parts)))
        for f in self.families:
            text = f.opened(f.declaration())
            if r.random() < 0.1:
                text = text.replace("template <", "template\n  <", 1)
            self.header.append((0, text))
        self.header.append((0, "#endif" if "LIB_HPP" in guard else ""))

    def add_piece(self, unit, uses):
        r = self.r
        function = r.choice(PIECES)
        if unit.lazy is not False and function.__name__ in ("external", "class_state") and r.random() < 0.5:
            return
        self.numbers += 1
        p = function(r, self.numbers)
        if not self.fits(p) or (unit.pure and p.lazy is not True):
            return
        text = p.text
        if r.random() < 0.08:
            text = f"#if {r.choice(['1', '!defined(NOT_DEFINED)', '__cplusplus >= 201703L', 'defined(__x86_64__) || 0'])}\n{text}\n#endif"
        unit.chunks.append((self.numbers, text))
        unit.grade(p.lazy, function.__name__)
        uses += p.uses

    def fits(self, piece):
        """whether the build has what the piece needs, and its compiler takes it"""
        return (not piece.needs or piece.needs in self.has) and (not piece.only or piece.only == self.form.compiler)

    def spelled(self, unit, kind, text, before):
        """the template argument, as it is or by a name of the unit's own"""
        r = self.r
        self.numbers += 1
        k = self.numbers
        if r.random() < 0.55 or kind in ("auto", "template <class> class", "int (*)(int)"):
            return text
        if kind in ("class", "typename"):
            if r.random() < 0.3 and "(" not in text and "[" not in text:
                before.append(f"typedef {text} type_{k};")
            else:
                before.append(r.choice([f"using type_{k} = {text};", f"namespace {{ using type_{k} = {text}; }}", f"namespace un_{k} {{ using type_{k} = {text}; }} using un_{k}::type_{k};", f"#define type_{k} {text}" if "," not in text else f"using type_{k} = {text};", f"template <int> using alias_{k} = {text}; using type_{k} = alias_{k}<0>;"]))
            return f"type_{k}"
        how = r.choice(["constexpr {t} value_{k} = {v};", "static const {t} value_{k} = {v};", "#define value_{k} {v}", "constexpr {t} value_{k}{{{t}({v})}};", "namespace {{ constexpr {t} value_{k} = {v}; }}"])
        if "static const" in how and ("{" in text or "mode>(" in text or "(plain" in text):  # whether that runs code is for the type to say
            how = "constexpr {t} value_{k} = {v};"
        if how.startswith("#") and text not in ("0", "1", "7"):
            how = "#define value_{k} ({v})"
        if "({v})" in how and " " in CONSTANTS[kind]:
            how = "constexpr {t} value_{k} = {v};"
        before.append(how.format(t=CONSTANTS[kind], v=text, k=k))
        return f"value_{k}"

    def body(self, unit, inst, names, uses):
        r = self.r
        f = inst.family
        lines = ["long x = %d;" % r.randint(1, 9)]
        for p, n in zip(f.parameters, names):
            if n and p[0] != "...":
                lines.append(f"x += {p[2].format(p=n)};")
        for use in r.sample(uses, min(len(uses), r.randint(1, 4))):
            lines.append(f"x = (x * 3 + {use}) % 100003;")
        lines.append(
            r.choice(
                [
                    "",
                    "static long calls; x += ++calls;",
                    "auto [first, second] = small{(int)x, 2}; x = first + second;",
                    "if constexpr (sizeof(int) == 4) { x += 1; } else { x += 5; }",
                    "x = [&](auto v) { return v + x; }(2L);",
                    "for (int i = 0; i < 3; i++) x += i < 2 ? 1 : 2;",
                    'say("in", x);',
                    "struct inner { long v; explicit operator long() const { return v; } } in{x}; x = (long)in + 1;",
                    "try { if (x > 3) throw boom{x}; } catch (boom& b) { x = b.v + 1; }",
                    "static noisy kept(5); x += kept.v;",
                    "#if 1\n  x += 2;\n#else\n  x += }\n#endif",
                    'x += R"(})"[0];',
                    "switch (int y = (int)x; y & 1) { case 0: x++; }",
                    "x += __LINE__ > 0;",
                    "x += sizeof(__func__) > 1;",
                ]
            )
        )
        if "noexcept" not in f.suffix and r.random() < 0.2:
            lines.append(r.choice(["if (x % 2) throw boom{x};", "if (x % 2) throw loud{{x + 1}, 2};"]))
        if self.shares and r.random() < 0.4:
            lines.append(f"x += {r.choice(SHARED_USES)};")
            unit.grade(None, "state of a header")
        if self.leans and self.own.random() < 0.4:
            lines.append(f"x += {self.own.choice(LEANS_USES)};")
            unit.grade(None, "leans on the caller")
        if r.random() < 0.02 and not unit.pure and not f.overloaded:
            lines.append(f"x += &{inst.name()} != nullptr;")
            unit.grade(None, "the address of its own function")
        result = f.result
        for i, (_, value) in enumerate(inst.args):
            result = result.replace(f"T{i}_", value)
        lines.append(f"return result<{result}>::of(x);")
        return "\n".join("#" in line and line or "  " + line for line in lines if line)

    def specialisation(self, unit, inst, uses):
        r = self.r
        f = inst.family
        if f.name in OPERATORS:
            unit.grade(None, "an operator")
        before = []
        args = [self.spelled(unit, kind, text, before) for kind, text in inst.args]
        given = args[: len(args) - f.deduced()] if r.random() < 0.4 and not f.overloaded else args
        name = f.listed(", ".join(given))
        if given != args and not given and r.random() < 0.6:
            name = f.name
        elif r.random() < 0.3:
            name = name.replace(f.name, f.name + " ", 1)
        inside = f.spaces and r.random() < 0.5
        path = "" if inside else ("::" if r.random() < 0.08 and f.result.split("<")[0] in ("int", "void", "long") else "") + f.path()
        names = [r.choice([f"p{i}", f"other{i}_", ""]) for i in range(len(f.parameters))]
        where = {kind_text[1]: a for kind_text, a in zip(inst.args, args)}
        sig_args = [(k, where[t] if r.random() < 0.3 and k in ("class", "typename") else t) for k, t in inst.args]
        if path and not path.startswith("::") and r.random() < 0.15:
            self.numbers += 1
            before.append(f"namespace ns_{self.numbers} = {path[:-2]};")
            path = f"ns_{self.numbers}::"
        name = path + name
        if f.defined:
            text = f"template {f.signature(sig_args, name, [''] * len(names))};"
        else:
            head = r.choice(["template <> ", "template<> ", "template <>\n", "template < > ", "template /* all */ <> "])
            attribute = r.choice(["", "", "", "", "[[gnu::noinline]] ", "__attribute__((noinline)) ", "[[maybe_unused]] ", "__attribute__((cold%s)) " % (', section(".text.mine")' if self.form.compiler == "clang" else ""), "[[gnu::visibility(\"default\"), gnu::used]] ", "__attribute__((weak)) "])
            if r.random() < 0.05 and not unit.pure:
                attribute = r.choice(['__attribute__((visibility("hidden"))) ', '[[gnu::visibility("hidden")]] '])
                unit.grade(None, "a hidden function")
            tried = r.random() < 0.08 and "noexcept" not in f.suffix
            sig = f.signature(sig_args, name, names, r.random() < 0.15)
            if r.random() < 0.06 and not unit.pure:
                attribute = f"\n#if {r.choice(['1', 'defined(__GNUC__)'])}\n{attribute}\n#endif\n"
                unit.grade(None, "a condition in a signature")
            if self.form.device and r.random() < 0.1:
                attribute += "__attribute__((host)) "
            if r.random() < 0.05 and not unit.pure:
                attribute, sig = self.odd_signature(unit, attribute, sig)
            body = self.body(unit, inst, names, uses)
            if tried:
                result = f.result
                for i, (_, value) in enumerate(inst.args):
                    result = result.replace(f"T{i}_", value)
                text = f"{head}{attribute}{sig} try {{\n{body}\n}} catch (const boom& caught) {{\n  return result<{result}>::of(caught.v + 5);\n}}"
            else:
                text = f"{head}{attribute}{sig} {{\n{body}\n}}{r.choice(['', '', '', ';'])}"
        if not f.defined and r.random() < 0.04 and not unit.pure:
            text = f'extern "C++" {{\n{text}\n}}'
            unit.grade(None, "extern C++")
        if inside:
            spaces = [s.replace("inline ", "") for s in f.spaces]
            if r.random() < 0.08 and not unit.pure:
                self.numbers += 1
                k = self.numbers
                opened = " ".join(f"namespace {s} {{" for s in spaces)
                text = f"#define OPEN_{k} {opened}\n#define CLOSE_{k} {'} ' * len(spaces)}\nOPEN_{k}\n{text}\nCLOSE_{k}"
                unit.grade(None, "a macro that opens a namespace")
            elif r.random() < 0.4:
                text = f"namespace {'::'.join(spaces)} {{\n{text}\n}}"
            else:
                text = f.opened("\n" + text + "\n") if r.random() < 0.5 or "inline" in str(f.spaces) else " ".join(f"namespace {s} {{" for s in spaces) + f"\n{text}\n" + "} " * len(spaces) + "// end"
            directly = [b for b in before if b.startswith("#")]
            text = "\n".join(directly + [b for b in before if not b.startswith("#")] + [text])
        else:
            text = "\n".join(before + [text])
        if r.random() < 0.06:
            text = f"#if {r.choice(['1', 'defined(__cplusplus)', '!defined(NOT_DEFINED)'])} /* {{ */\n{text}\n#endif"
        elif r.random() < 0.04:
            text = f"#ifdef NOT_DEFINED\n#error not here\n#else\n{text}\n#endif"
        self.chunk(unit.chunks, text)

    def odd_signature(self, unit, attribute, sig):
        """the signature with a condition or a macro in it"""
        r = self.r
        self.numbers += 1
        unit.grade(None, "a condition or macro in a signature")
        if r.random() < 0.5:
            return attribute, f"\n#ifdef NOT_DEFINED\n{sig} {{\n#else\n{sig}\n#endif\n"
        return f"\n#define HEAD_{self.numbers} {attribute.strip()} \nHEAD_{self.numbers}\n" if "#" not in attribute else attribute, sig

    def blob(self, number, share):
        r = self.r
        unit = Unit(f"unit{number}{self.form.suffix}", pure=r.random() < 0.65)
        uses = []
        if r.random() < 0.1:
            self.chunk(unit.chunks, r.choice(["// a comment first\n/* and another */", "#define BEFORE_LIB 1", "#pragma GCC diagnostic ignored \"-Wall\""]))
        self.chunk(unit.chunks, r.choice(['#include "lib.hpp"', '#include "lib.hpp"', '#include "./lib.hpp" // ours', '#  include   "lib.hpp"', '#define LIB_NAME "lib.hpp"\n#include LIB_NAME', '#include "lib.hpp"\n#include "lib.hpp"', '#if __has_include("lib.hpp")\n#include "lib.hpp"\n#endif', '#ifndef NOT_DEFINED\n#include "lib.hpp"\n#else\n#error not here\n#endif']))
        if "LIB_NAME" in unit.chunks[-1][1]:
            unit.grade(None, "include of a macro")
        if r.random() < 0.06:
            self.chunk(unit.chunks, f"#include <{r.choice(STANDARD_HEADERS)}>")
        for inst in share:
            for _ in range(r.randint(0, 3)):
                self.add_piece(unit, uses)
            self.specialisation(unit, inst, uses)
        for _ in range(r.choice([0, 0, 1])):
            self.add_piece(unit, uses)
        if r.random() < 0.08:
            unit.chunks.insert(0, (0, f"#ifndef GUARD_{number}\n#define GUARD_{number}"))
            unit.chunks.append((0, "#endif"))
        return unit

    def including(self):
        """a unit that only includes another, which is then no unit by itself"""
        victim = self.r.choice(self.units)
        at = self.units.index(victim)
        inner = victim.name.replace(".", ".inc.")
        victim_unit = Unit(inner, False, ["is included"], victim.chunks)
        self.included = victim_unit
        outer = Unit(victim.name, None, ["only includes"])
        self.chunk(outer.chunks, f'#include "{inner}"')
        self.units[at] = outer
        return victim_unit

    def callers(self, todo):
        r = self.r
        lines = []
        for inst in todo:
            f = inst.family
            values = []
            for p in f.parameters:
                value = p[1]
                if value == "WRAP":
                    kind = p[0].replace("const ", "").rstrip("&")
                    for i, (_, text) in enumerate(inst.args):
                        kind = kind.replace(f"T{i}_", text)
                    value = f"{kind}{{}}"
                values.append(value)
            call = f"{inst.name()}({', '.join(values)})"
            pointer = r.random() < 0.15 and not f.defined and not f.overloaded
            if pointer:
                call = f"pointer({', '.join(values)})"
            result = f.result
            quoted = inst.name().replace('"', "'")
            show = f'{call}; show("{quoted}", 1L);' if result == "void" else f'show("{quoted}", {call});' if result not in ("int", "bool") else f'show("{quoted}", (long){call});'
            if pointer:
                show = f"auto pointer = &{inst.name()}; {show} show(\"same\", (long)(pointer == &{inst.name()}));"
            lines.append(f"  try {{ {show} }} catch (const boom& b) {{ show(\"boom\", b.v); }}")
        # an instance is declared before its first use only by the template; it must not be instantiated from the header
        extern = []
        for inst in todo:
            if inst.family.defined:
                extern.append(inst.family.opened(f"extern template {inst.family.signature(inst.args, inst.family.listed(inst.arguments()))};"))
        host = Unit("host.cpp", False, ["host"])
        host.chunks = [(0, '#include "lib.hpp"\n' + HOST + (LEANS_HOST if self.leans else "") + "template struct filled<tag0>;\n" + "\n".join(extern))]
        host.chunks.append((0, 'extern "C" __attribute__((visibility("default"))) int call() {\n  small lvalue{1, 2}; shape round; int array[3] = {7, 8, 9}; char letters[4] = "abc"; mode modes[2] = {mode::slow, mode::fast}; (void)lvalue; (void)round; (void)array; (void)letters; (void)modes;'))
        order = list(lines) + r.sample(lines, min(3, len(lines)))
        r.shuffle(order)
        for line in order:
            self.chunk(host.chunks, line)
        host.chunks.append((0, "  return 3;\n}"))
        if self.caller_shares:  # or blobs alone do
            host.chunks.insert(-1, (0, "".join(f'  show("shared", {use});\n' for use in SHARED_USES)))
        if self.executable:
            host.chunks.append((0, "int main() { return call(); }"))
        self.units.append(host)
        if r.random() < 0.35:
            self.chooser(todo, host)

    def chooser(self, todo, host):
        """a unit that chooses among the others: a blob by its form, and a dispatcher"""
        r = self.r
        chosen = [i for i in todo if not i.family.defined and i.family.result in ("int", "long") and all(p[1] != "WRAP" and p[1] not in ("lvalue", "&lvalue", "round", "&round", "array", "letters", "&twice") for p in i.family.parameters)]
        if not chosen:
            return
        self.header.insert(-1, (0, "template <int V> long choose(int a, bool b, mode m);"))
        unit = Unit(f"choose_api{self.form.suffix}", None, ["dispatcher"], dispatcher=True)
        self.chunk(unit.chunks, '#include "lib.hpp"')
        uses = []
        if r.random() < 0.3:
            self.add_piece(unit, uses)
        lines = []
        for n in range(r.randint(1, 8)):
            inst = r.choice(chosen)
            call = f"{inst.name()}({', '.join(p[1] for p in inst.family.parameters)})"
            condition = r.choice([f"a == {n}", f"a == {n} && b", f"(b == true) && (a % {n + 2} == 0)", f"m == mode::fast && a < {n}", f"a > {n} || !b"])
            lines.append(r.choice([f"  if ({condition}) return {call};", f"  if ({condition}) {{ x += {call}; return x; }}", f"  if ({condition}) {{\n    if (b) return {call};\n    else return {n};\n  }}", f"  else if ({condition}) return {call};" if lines and lines[-1].lstrip().startswith(("if", "else if")) and "\n" not in lines[-1] else f"  if ({condition}) return {call};"]))
        self.chunk(unit.chunks, "template <> long choose<1>(int a, bool b, mode m) {\n  long x = 1;\n" + "\n".join(lines) + "\n  return -1;\n}")
        self.units.append(unit)
        host.chunks.insert(-2 if self.executable else -1, (0, '  for (int a = 0; a < 9; a++) for (int b = 0; b < 2; b++) for (mode m : modes)\n    try { show("choose", choose<1>(a, b, m)); } catch (const boom& e) { show("boom", e.v); }'))

    def breaks(self):
        """one mistake that the compiler or the linker refuses"""
        r = self.r
        unit = r.choice([u for u in self.units if u.name.startswith("unit")])
        how = r.choice(["no template", "twice", "missing", "host", "parameter"])
        family = self.families[0]
        inst = family.instances[0]
        if how == "no template":
            self.chunk(unit.chunks, "template <> int not_a_template<3>(int v) { return v; }")
        elif how == "twice" and not family.defined:
            for u in [u for u in self.units if u.name.startswith("unit") and ".inc." not in u.name][:2]:
                if u.lazy is not None:
                    self.chunk(u.chunks, f"template <> {family.signature(inst.args, inst.name())} {{ throw 1; }}")
        elif how == "missing":
            self.units[-1 if self.units[-1].name == "host.cpp" else -2].chunks.append((0, "template <class T> int nobody_has(T); int user = nobody_has<int>(2);"))
            self.executable = True
        elif how == "parameter":
            self.header.append((0, "template <int N> long narrow(int v);"))
            self.chunk(unit.chunks, "template <> long narrow<2>(const char* v) { return *v; }")
        else:
            self.chunk(self.units[-1].chunks, "int broken( { return; }")
        self.broken = how

    # ---- out

    def write(self, to, without=()):
        to = Path(to)
        to.mkdir(parents=True, exist_ok=True)
        keep = lambda chunks: "\n".join(text for number, text in chunks if not number or number not in without) + "\n"
        (to / "lib.hpp").write_text(keep(self.header))
        for u in self.units:
            (to / u.name).write_text(keep(u.chunks))

    def compiled(self):
        return [u for u in self.units if ".inc." not in u.name]

    def says(self):
        """what it is, for who looks at a difference"""
        return " ".join([self.language, *self.flags])

    outside = False  # does a program outside the library call what is in it?

    @property
    def program(self):
        """the program to start; None: one that loads the library"""
        return "out" if self.executable else None

    def chunks(self):
        return sorted({number for u in self.units for number, _ in u.chunks if number})


if __name__ == "__main__":
    made = Build(int(sys.argv[1]), TOOLCHAINS[sys.argv[3] if sys.argv[3:] else "hip"].forms)
    made.write(sys.argv[2])
    for u in made.units:
        print(u.name, {True: "blob", False: "host", None: "nothing promised"}[u.lazy], *u.why)
