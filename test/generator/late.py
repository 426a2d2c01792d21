"""A small library of units that may be late (docs/units.md), made of random rows of latepieces.py.
`late.py SEED DIR` writes one to look at. compare.py makes and compares it, as it does those of build.py.

    lib.h      what the rows declare
    unit*.cu   units with kernels that nothing launches
    host.cpp   calls all that the units define; `call` is its entry
    main.cpp   a program, or one outside the library that calls the same
"""

import random
import re
import sys
from pathlib import Path

from build import Unit
from latepieces import ROWS
from toolchain import TOOLCHAINS

BASE = """\
#pragma once
extern "C" __attribute__((visibility("default"))) int call();
long enrol(const char *, long (*)(long));
struct registrar { registrar(const char *, long (*)(long)); long n; };
long enrolled();
"""
HOST = """\
#include "lib.h"
#include <cstdio>
static const char *names[99];
static long (*functions[99])(long), n;
long enrol(const char *name, long (*f)(long)) { names[n] = name; functions[n++] = f; return n; }
registrar::registrar(const char *name, long (*f)(long)) : n(enrol(name, f)) {}
long enrolled() {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    printf("  enrolled %s\\n", names[i]);
    sum = sum * 3 + (functions[i] ? functions[i](i) : 1);
  }
  return sum;
}
"""
SHOW = 'static void show(const char *name, long value) { printf("%s %ld\\n", name, value); }\n'
# how a unit's kernel is written
KERNELS = [
    "static __global__ void kernel_@(int *p) { *p = 1; }\n",
    "namespace { __global__ void kernel_@(int *p) { *p = 1; } }\n",
    "template <int N> static __global__ void of_@(int *p) { *p = N; }\n#define kernel_@ of_@<3>\n",
    "__global__ void kernel_@(int *p) { *p = 1; }\n",
    "namespace kernels_@ { static __global__ void kernel(int *p) { *p = 1; } }\n#define kernel_@ kernels_@::kernel\n",
]
NOTE = """\
namespace { long note(long x) {
  if (x == -77777) kernel_@<<<1, 1>>>(nullptr);
  return x * 3 + 1;
} }
"""
# how the link is: its name, share, and words
LINKS = [
    ("open", 3, ["-shared"]),
    ("python", 3, ["-shared"]),
    ("hidden", 2, ["-shared"]),
    ("program", 3, []),
    ("rdynamic", 1, ["-rdynamic"]),
]
WORDS = [
    [], [], [], ["-Wl,--gc-sections"], ["-Wl,-Bsymbolic"], ["-Wl,-Bsymbolic-functions"], ["-Wl,-z,defs"], ["-Wl,-z,now"],
    ["-Wl,--as-needed"], ["-Wl,--no-undefined", "-Wl,-O1"], ["-s"],
]
GROUPS = ["", "", "", "", "archive", "whole", "archive of all", "joined", "joined with the caller"]


class LateBuild:
    """what one seed makes"""

    forms = ()

    def __init__(self, seed, forms=()):
        self.seed, self.form, self.passes, self.broken = seed, forms[0] if forms else None, False, ""
        r = self.r = random.Random(f"late {seed}")
        self.link = r.choices([x[0] for x in LINKS], [x[1] for x in LINKS])[0]
        self.words = next(x[2] for x in LINKS if x[0] == self.link) + r.choice(WORDS)
        self.group = r.choice(GROUPS)
        self.version = self.link == "open" and r.random() < 0.15
        self.hidden = self.link == "hidden"
        self.executable = self.link in ("program", "rdynamic")
        self.outside = self.link == "open" and not self.version
        self.std = r.choice([17, 17, 17, 20])
        self.level = r.choice(["-O0", "-O1"])
        self.lto = r.random() < 0.03
        self.numbers = 0
        self.header, self.files, self.out = [(0, BASE)], [], []
        self.units = [Unit(f"unit{n}.cu", True) for n in range(r.choice([1, 1, 2, 2, 2, 3]))]
        for n, u in enumerate(self.units):
            u.flags, u.pure = [], True
            kernel = r.choice(KERNELS)
            u.chunks.append((0, '#include "lib.h"\n' + (kernel + NOTE).replace("@", f"u{n}")))
        self.host = Unit("host.cpp", False)
        self.host.flags = ["-flto"] if self.lto else []
        self.host.chunks.append((0, HOST))
        self.calls, self.names, self.called = [], {}, []
        # some builds have only rows whose units stay late, or one row of the others
        pure = r.random() < 0.5
        rows = [x for x in ROWS if x.hides or not self.hidden]
        odd = [x for x in rows if x.late is not True]
        rows = [x for x in rows if x.late is True] if pure else rows
        for _ in range(r.randint(3, 8)):
            self.add(r.choices(rows, [x.weight for x in rows])[0])
        if pure and r.random() < 0.6:
            self.add(r.choice(odd))
        if r.random() < 0.1:
            self.shared_name()
        self.finish()

    def expand(self, text, k):
        text = text.replace("@", str(k))
        while "$(" in text:
            text = re.sub(r"\$\(((?:(?!\$\().)*?)\$\)", lambda m: self.r.choice(m.group(1).split("$|")), text)
        return text

    def add(self, row):
        if "two units" in row.name and len(self.units) < 2:
            return
        self.numbers += 1
        k, r = self.numbers, self.r
        self.names[k] = row.name
        of = lambda text: (k, self.expand(text, k))
        unit = r.choice(self.units)
        sibling = r.choice([u for u in self.units if u is not unit] or [unit])
        if row.header:
            self.header.append((k, self.expand(row.header, k)))
        unit.chunks.append(of(row.unit))
        unit.grade(row.late, row.name)
        unit.flags += [(k, w.replace("@", str(k))) for w in row.flags]
        if row.sibling:
            sibling.chunks.append(of(row.sibling))
            sibling.grade(row.sibling_late, row.name + ", sibling")
        for name, text in row.files.items():
            self.files.append((k, name.replace("@", str(k)), self.expand(text, k)))
        if row.host:
            self.host.chunks.append(of(row.host))
        show = lambda c: (k, '  show("%s", (long)(%s));' % (self.expand(c, k).replace('"', "'").replace("\\", "/"), self.expand(c, k)))
        inside = list(row.calls) + list(row.inside)
        self.calls += [show(c) for c in inside]
        self.out += [show(c) for c in list(row.calls) + list(row.outside)]
        if not self.outside:
            return
        # outside, what a caller within the library has no use for
        if row.calls and r.random() < 0.2 and not row.inside:
            self.calls = [c for c in self.calls if c[0] != k]

    def shared_name(self):
        """two units have a function of one name that nobody else sees, or that the linker refuses"""
        if len(self.units) < 2:
            return
        how = self.r.choice(["static long twin(long x) { return note(x); }\nlong %s(long x) { return twin(x); }"] * 2 + ["long twin(long x) { return note(x); }\nlong %s(long x) { return twin(x); }"])
        if how.startswith("long"):
            self.broken = "twice"
        for n, u in enumerate(self.units[:2]):
            self.numbers += 1
            u.chunks.append((self.numbers, how % f"of_twin{n}"))
            self.header.append((self.numbers, f"long of_twin{n}(long);"))
            self.names[self.numbers] = "twins"
            self.calls.append((self.numbers, f'  show("twin", of_twin{n}(4));'))
        if self.broken:
            self.calls.append((self.numbers, '  { long twin(long); show("twin", twin(2)); }'))

    def finish(self):
        h = self.host.chunks
        h.append((0, SHOW + 'extern "C" int call() {'))
        order = self.calls + self.r.sample(self.calls, min(2, len(self.calls)))
        if self.r.random() < 0.3:
            self.r.shuffle(order)
        h += order
        h.append((0, "  return 3;\n}"))
        if self.link == "python":
            h.append((0, 'extern "C" __attribute__((visibility("default"))) void *PyInit_out() { return nullptr; }'))
        self.main = None
        if self.executable or self.outside:
            self.main = Unit("main.cpp", False)
            self.main.flags = []
            self.main.chunks = [(0, '#include "lib.h"\n#include <cstdio>\n' + SHOW + "int main() {\n  int n = call();")]
            if self.outside:
                self.main.chunks += self.out
            self.main.chunks.append((0, "  return n;\n}"))
        if self.hidden:
            for u in self.units:
                u.flags.append((0, "-Xcompiler"))
                u.flags.append((0, "-fvisibility=hidden"))
            self.host.flags = self.host.flags + ["-fvisibility=hidden"]
        for u in self.units:  # one without a function is nothing that a call could make
            u.grade(True if len(u.chunks) > 1 else None, "nothing in it")
        self.order = list(range(len(self.units) + 1))
        self.r.shuffle(self.order)
        self.host_first = self.r.random() < 0.5

    @property
    def program(self):
        return "main" if self.outside else "out" if self.executable else None

    def compiled(self):
        return self.units + [self.host] + ([self.main] if self.main else [])

    def chunks(self):
        return sorted(self.names)

    def flags_of(self, unit, without=()):
        return [w if isinstance(w, str) else w[1] for w in unit.flags]

    def write(self, to, without=()):
        to = Path(to)
        to.mkdir(parents=True, exist_ok=True)
        keep = lambda chunks: "\n".join(text for number, text in chunks if not number or number not in without) + "\n"
        (to / "lib.h").write_text(keep(self.header))
        for u in self.compiled():
            (to / u.name).write_text(keep(u.chunks))
        for number, name, text in self.files:
            (to / name).write_text(text)
        if self.version:
            (to / "exports.map").write_text('{ global: call; extern "C++" { "f1(long)"; "a::*"; f2*; }; local: *; };\n')

    def says(self):
        """what it is, for who looks at it"""
        words = " ".join(self.words)
        return f"{self.link} {words}, {self.group or 'objects'}{', version script' * self.version}{', LTO' * self.lto}: " + ", ".join(
            f"{k} {v}" for k, v in self.names.items())


if __name__ == "__main__":
    made = LateBuild(int(sys.argv[1]), TOOLCHAINS["late"].forms)
    made.write(sys.argv[2])
    print(made.says())
    for u in made.units:
        print(u.name, {True: "late", False: "with its library", None: "nothing promised"}[u.lazy], *u.why)
