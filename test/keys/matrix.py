#!/usr/bin/env python3
"""matrix.py BUILD DIR - over a hundred changes to a small library, and for each whether its kernels' keys must change.

Every change is made in a copy of the project in another directory, with a fake home of its own, built and linked there; the keys
are those of ck_jit_manifest.json. The compiler is a script that starts clang, so that a compile takes 50 ms.

The project: two kernels, a.cpp and b.cpp, each with headers found in all the ways in which headers are found.
"""
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

BUILD, DIR = sys.argv[1:3]
CLANG = shutil.which("clang++")

FILES = {
    "api.hpp": "#pragma once\n#include \"nested.hpp\"\ntemplate <int N> int f(int);\nint other();\n",
    "nested.hpp": "#pragma once\n#include <angled.hpp>\nconstexpr int nested = 1;\n",
    "inc/angled.hpp": "#pragma once\nconstexpr int angled = 1;\n",
    "sys/system.hpp": "#pragma once\nconstexpr int system_ = 1;\n",
    "quote/quoted.hpp": "#pragma once\nconstexpr int quoted = 1;\n",
    "after/after.hpp": "#pragma once\nconstexpr int after = 1;\n",
    "forced.hpp": "#pragma once\nconstexpr int forced = 1;\n",
    "macros.hpp": "#define MACROS 1\n",
    "first/next.hpp": "#pragma once\n#include_next <next.hpp>\nconstexpr int first = 1;\n",
    "second/next.hpp": "#pragma once\nconstexpr int second = 1;\n",
    "optional/there.hpp": "#pragma once\nconstexpr int there = 1;\n",
    "spaced dir/sp aced.hpp": "#pragma once\nconstexpr int spaced = 1;\n",
    "only_a.hpp": "#pragma once\nconstexpr int only_a = 1;\n",
    "body.inc": "x += 1;\n",
    "unused.hpp": "constexpr int unused = 1;\n",
    "a.cpp": '#include "api.hpp"\n#include <system.hpp>\n#include "quoted.hpp"\n#include <after.hpp>\n#include <next.hpp>\n'
    '#include "only_a.hpp"\n#include "sp aced.hpp"\n#if __has_include("optional/there.hpp")\n#include "optional/there.hpp"\n#endif\n'
    "template <> int f<1>(int x) {\n#include \"body.inc\"\n  return x + nested + angled + MACROS; }\n",
    "b.cpp": '#include "api.hpp"\n#include <system.hpp>\ntemplate <> int f<2>(int x) { return x + 2 * nested; }\n',
    "host.cpp": '#include "api.hpp"\nint other() { return f<1>(1) + f<2>(2); }\n',
    "real/bin/hipcc": f'#!/bin/sh\nfor w; do shift; [ "$w" = --offload-host-only ] || set -- "$@" "$w"; done\nexec {CLANG} "$@"\n',
}
FLAGS = ["-std=c++17", "-O1", "-fPIC", "-Iinc", "-Ifirst", "-Isecond", "-isystem", "sys", "-iquote", "quote", "-idirafter", "after",
         "-Ispaced dir", "-include", "forced.hpp", "-imacros", "macros.hpp", "-DBASE=1", "-DTWICE=1", "-DTWICE=2", "-Wno-macro-redefined"]


class Project:
    def __init__(self, name):
        self.dir = os.path.join(DIR, name)
        self.flags = list(FLAGS)
        self.link = []
        self.env = {}
        self.objects = ["a", "b", "host"]
        self.compiler = "../tool/bin/hipcc"  # one for all, whose 200 MB are read once
        self.output = "libx.so"
        self.response = False
        for path, text in FILES.items():
            self.write(path, text)
        os.chmod(self.path("real/bin/hipcc"), 0o755)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w") as f:
            f.write(text)

    def edit(self, path, old, new):
        with open(self.path(path)) as f:
            text = f.read()
        assert old in text, (path, old)
        self.write(path, text.replace(old, new))

    def run(self, *command, **env):
        r = subprocess.run(command, cwd=self.dir, env={**os.environ, **self.env, **env}, capture_output=True, text=True)
        if r.returncode:
            sys.exit(f"{self.dir}: {command}: status {r.returncode}\n{r.stderr[-3000:]}")
        return r.stdout

    def keys(self):
        home = self.path("home")
        self.run(BUILD + "/bin/ckjit-build", "home", "--dir", home, CK_JIT_HIPCC=os.path.normpath(self.path(self.compiler)), CK_JIT_CXX=CLANG)
        if os.path.exists(DIR + "/memo"):
            shutil.copytree(DIR + "/memo", os.path.join(home, "work", ".compilers"), dirs_exist_ok=True)
        hipcc = home + "/bin/hipcc"
        for name in self.objects:
            words = ["-x", "c++", *self.flags, "-c", name + ".cpp", "-o", name + ".o"]
            if self.response:
                self.write("words.rsp", "\n".join('"' + w + '"' for w in words))
                words = ["@words.rsp"]
            self.run(hipcc, *words)
        self.run(hipcc, "-shared", "-o", self.output, *[n + ".o" for n in self.objects], *self.link)
        stem = os.path.splitext(os.path.basename(self.output))[0]
        with open(f"{home}/work/{stem}/ck_jit_manifest.json") as f:
            blobs = json.load(f)["blobs"]
        if not os.path.exists(DIR + "/memo"):
            shutil.copytree(os.path.join(home, "work", ".compilers"), DIR + "/memo")
        shutil.rmtree(self.dir)
        return {n: blobs[n]["key"] for n in ("a", "b")}


CHANGES = []  # (name, what is done to the project, the kernels whose keys must change)


def change(name, expected, do):
    CHANGES.append((name, do, expected))


def edited(path, old, new, expected):
    change(f"{path}: {old!r} is {new!r}", expected, lambda p: p.edit(path, old, new))


def flag(expected, *words, at=None):
    change("flags: with " + " ".join(words), expected,
           lambda p: p.flags.__setitem__(slice(at if at is not None else len(p.flags), at if at is not None else len(p.flags)), words))


def without(word, expected):
    change("flags: without " + word, expected, lambda p: p.flags.remove(word))


def replaced(old, new, expected):
    change(f"flags: {new} for {old}", expected, lambda p: p.flags.__setitem__(p.flags.index(old), new))


# --- what must give new keys ---

edited("a.cpp", "angled + MACROS", "angled + MACROS + 1", "a")
edited("a.cpp", "int x", "int  x", "a")
edited("a.cpp", "template <> int f<1>", "// a comment\ntemplate <> int f<1>", "a")
edited("b.cpp", "2 * nested", "3 * nested", "b")
edited("b.cpp", "\n", "\r\n", "b")
change("a.cpp: a newline more at its end", "a", lambda p: p.write("a.cpp", FILES["a.cpp"] + "\n"))
change("b.cpp: no newline at its end", "b", lambda p: p.write("b.cpp", FILES["b.cpp"][:-1]))
for header, kernels in [("api.hpp", "ab"), ("nested.hpp", "ab"), ("inc/angled.hpp", "ab"), ("sys/system.hpp", "ab"), ("quote/quoted.hpp", "a"),
                        ("after/after.hpp", "a"), ("forced.hpp", "ab"), ("macros.hpp", "ab"), ("first/next.hpp", "a"), ("second/next.hpp", "a"),
                        ("optional/there.hpp", "a"), ("spaced dir/sp aced.hpp", "a"), ("only_a.hpp", "a"), ("body.inc", "a")]:
    change(f"{header}: a comment more", kernels, lambda p, h=header: p.write(h, FILES[h] + "// changed\n"))
    change(f"{header}: a blank more", kernels, lambda p, h=header: p.write(h, FILES[h].replace(" ", "  ", 1)))
    old = "1" if header != "api.hpp" else "int other();"
    change(f"{header}: another value", kernels, lambda p, h=header, o=old: p.edit(h, o, "2" if o == "1" else "long other2();\nint other();"))
change("a header that is found earlier now: inc/system.hpp", "ab", lambda p: p.write("inc/system.hpp", "constexpr int system_ = 5;\n"))
change("a header that is found earlier now: first/angled.hpp behind inc", "", lambda p: p.write("first/angled.hpp", "constexpr int angled = 5;\n"))
change("a header beside the source, before quote/", "a", lambda p: p.write("quoted.hpp", "constexpr int quoted = 9;\n"))
change("a header of __has_include is gone", "a", lambda p: os.unlink(p.path("optional/there.hpp")))
change("two headers exchange their content", "ab",
       lambda p: (p.write("forced.hpp", FILES["macros.hpp"]), p.write("macros.hpp", FILES["forced.hpp"]), p.flags.append("-DMACROS=1"),
                  p.flags.remove("-DTWICE=2")))
for o in ["-O0", "-O2", "-O3", "-Os", "-Ofast", "-g", "-gline-tables-only", "-ffast-math", "-fno-exceptions", "-fno-rtti", "-fwrapv", "-fno-inline",
          "-fstrict-aliasing", "-fno-strict-aliasing", "-march=x86-64-v2", "-mavx2", "-mtune=haswell", "-fno-unroll-loops", "-ffp-contract=off", "-fno-math-errno",
          "-fopenmp-simd", "-funsigned-char", "-fshort-enums", "-fvisibility-inlines-hidden", "-fstack-protector-all", "-fno-plt", "-DNEW", "-DNEW=1",
          "-UBASE", "-DBASE=2", "-DTWICE=3", "-fms-extensions", "-fno-builtin", "-ffunction-sections", "-fno-jump-tables",
          "-fsanitize=signed-integer-overflow", "-fno-semantic-interposition", "-ffreestanding"]:
    flag("ab", o)
flag("ab", "-mllvm", "-inline-threshold=10")
flag("ab", "-mllvm", "--unroll-threshold=10")
flag("ab", "-Xclang", "-fno-pch-timestamp")
flag("ab", "-include", "unused.hpp")
flag("ab", "-D", "SEPARATE")
flag("ab", "-U", "BASE")
replaced("-std=c++17", "-std=c++20", "ab")
replaced("-std=c++17", "-std=gnu++17", "ab")
without("-DBASE=1", "ab")
without("-O1", "ab")
without("-DTWICE=2", "ab")
change("flags: one macro twice, in the other order", "ab",
       lambda p: (p.flags.remove("-DTWICE=1"), p.flags.append("-DTWICE=1")))
change("flags: -fno-rtti and its opposite behind it", "ab", lambda p: p.flags.extend(["-fno-rtti", "-frtti"]))
change("link: a library more", "ab", lambda p: p.link.append("-lm"))
change("link: an rpath", "ab", lambda p: p.link.append("-Wl,-rpath,/opt/lib"))
change("the compiler: a comment in its script", "ab",
       lambda p: (p.edit("real/bin/hipcc", "#!/bin/sh\n", "#!/bin/sh\n# 2\n"), setattr(p, "compiler", "real/bin/hipcc")))
change("the compiler: the same in another place", "", lambda p: setattr(p, "compiler", "real/bin/hipcc"))
change("the compiler: another one", "ab",
       lambda p: (p.write("real2/bin/hipcc", FILES["real/bin/hipcc"].replace("exec", "exec ")), os.chmod(p.path("real2/bin/hipcc"), 0o755),
                  setattr(p, "compiler", "real2/bin/hipcc")))
change("the compiler: what it says of its version", "ab",
       lambda p: (p.edit("real/bin/hipcc", "exec", '[ "$1" = --version ] && echo "version 2" && exit\nexec'),
                  setattr(p, "compiler", "real/bin/hipcc")))

# --- what must not ---

change("another directory", "", lambda p: None)
for w in ["-Wall", "-Wextra", "-w", "-Wno-unused", "-Werror=return-type", "-Weverything", "-fdiagnostics-color=always", "-fcolor-diagnostics", "-fmessage-length=0",
          "-fdiagnostics-show-option", "-pipe", "-MD", "-MMD", "-Inowhere"]:
    flag("", w)
flag("", "-isystem", "nowhere")
flag("", "-MD", "-MF", "x.d")
flag("", "-MMD", "-MP", "-MT", "target")
flag("", "-iquote", "nowhere")
change("flags: the order of macros of different names", "", lambda p: (p.flags.remove("-DBASE=1"), p.flags.append("-DBASE=1")))
change("flags: directories as absolute names", "", lambda p: p.flags.__setitem__(p.flags.index("-Iinc"), "-I" + p.path("inc")))
change("flags: from a response file", "", lambda p: setattr(p, "response", True))
for touched in ["a.cpp", "api.hpp", "inc/angled.hpp", "sys/system.hpp"]:
    change(f"{touched}: another time stamp", "", lambda p, t=touched: os.utime(p.path(t), (1, 1)))
    change(f"{touched}: another mode", "", lambda p, t=touched: os.chmod(p.path(t), 0o700))
change("a header that nobody includes", "", lambda p: p.write("unused.hpp", "constexpr int unused = 2;\n"))
change("a file beside the headers", "", lambda p: p.write("inc/README", "text\n"))
change("a header of another name in an earlier directory", "", lambda p: p.write("inc/none.hpp", "#error none\n"))
change("a directory of headers is a symbolic link", "", lambda p: (os.rename(p.path("sys"), p.path("sys2")), os.symlink("sys2", p.path("sys"))))
change("a header is a symbolic link", "", lambda p: (os.rename(p.path("api.hpp"), p.path("api2.hpp")), os.symlink("api2.hpp", p.path("api.hpp"))))
change("the host source", "", lambda p: p.edit("host.cpp", "f<2>(2)", "f<2>(3)"))
change("another order of the objects", "", lambda p: p.objects.reverse())
change("another name of the library", "", lambda p: setattr(p, "output", "liby.so"))
change("link: a flag that is the library's alone", "", lambda p: p.link.append("-Wl,-z,now"))
change("environment: language, home, jobs", "", lambda p: p.env.update(LC_ALL="C", LANG="de_DE.UTF-8", CK_JIT_JOBS="1", COLUMNS="30"))
change("another kernel in the library", "",
       lambda p: (p.write("c.cpp", '#include "api.hpp"\ntemplate <> int f<3>(int x) { return x; }\n'), p.objects.insert(0, "c")))


def main():
    global CHANGES
    if os.environ.get("ONLY"):
        CHANGES = [c for c in CHANGES if os.environ["ONLY"] in c[0]]
    projects = {}

    def keys(i):
        name, do, _ = CHANGES[i]
        p = projects[i] = Project(f"p{i}")
        do(p)
        return p.keys()

    # Keys do not depend on the runtime, and compiling it is half of a link.
    with open(DIR + "/runtime.c", "w") as f:
        f.write("__attribute__((visibility(\"hidden\"))) void ckjit_trampoline(void) {}\n")
    os.environ["CK_JIT_RUNTIME_SRC"] = DIR + "/runtime.c"
    tool = Project("tool")
    shutil.copytree(tool.path("real/bin"), DIR + "/tool/bin", dirs_exist_ok=True)
    base = Project("base").keys()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(keys, range(len(CHANGES))))
    wrong = 0
    seen = {}
    for (name, _, expected), now in zip(CHANGES, found):
        different = "".join(k for k in "ab" if now[k] != base[k])
        if different != expected:
            print(f"{name}: keys of '{different}' changed, expected '{expected}'")
            wrong += 1
        for k in different:  # no two changes give the same key
            if now[k] in seen and seen[now[k]] != name:
                print(f"{name}: the same key as: {seen[now[k]]}")
                wrong += 1
            seen[now[k]] = name
    up = sum(1 for c in CHANGES if c[2])
    print(f"{len(CHANGES)} changes, {up} that matter, {len(CHANGES) - up} that do not, {wrong} wrong")
    sys.exit(1 if wrong or (not os.environ.get("ONLY") and (up < 100 or len(CHANGES) - up < 30)) else 0)


main()
