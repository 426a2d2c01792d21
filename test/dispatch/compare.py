"""Compiles dispatchers and their rewritten forms, runs both, and compares what they log. dispatch-*.sh start it:

    compare.py random|wrong|forms REWRITE DIR

REWRITE is the program of rewrite.c. As in the post-build linker a rewritten text that does not compile gives way to the
next lower level. Settings from the environment:

TABLES=0     erased helpers are the highest level; by default tables are asked for, and expected if they must be made
HEADER=0     the header is left as it is; by default it is rewritten as well
SEEDS=N      how many random files of each kind; FIRST=N the first seed
KINDS        which kinds of them: ck wild
CALLS=N      of each dispatcher
JOBS=N       compilers at once
KEEP=1       keep the files of what is the same, too
"""

import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import forms
import generate

HERE = Path(__file__).parent
TABLES, HEADER, KEEP = (os.environ.get(n, d) == "1" for n, d in (("TABLES", "1"), ("HEADER", "1"), ("KEEP", "0")))
SEEDS, FIRST = int(os.environ.get("SEEDS", "16")), int(os.environ.get("FIRST", "1"))
CALLS, JOBS = int(os.environ.get("CALLS", "20000")), int(os.environ.get("JOBS", "2"))
FUNCTIONS = (
    "fwd_ all_ one_oneshot_ two_oneshot_ three_oneshot_ one_get_name_ two_get_name_ three_get_name_ two_ws_size_ "
    "two_needs_zero_"
).split()
LEVELS = (["tables"] if TABLES else []) + ["erased", "text"]
REWRITE, WORK = sys.argv[2], Path(sys.argv[3])


class Broken(Exception):
    """the test itself does not work, or a rewrite changed the meaning"""


def prepare():
    """the world as a precompiled header for each compiler and optimisation; (command, include directory) of each"""
    found = []
    for compiler in ("g++", "clang++"):
        for level in ("-O0", "-O1"):
            if not shutil.which(compiler):
                continue
            at = WORK / f"{compiler}{level}"
            at.mkdir(parents=True)
            shutil.copy(HERE / "world.hpp", at)
            command = [
                compiler,
                "-std=c++17",
                "-w",
                level,
                "-fmax-errors=9" if compiler == "g++" else "-ferror-limit=9",
            ]
            subprocess.run([*command, "-x", "c++-header", at / "world.hpp", "-o", at / "world.hpp.gch"], check=True)
            found.append(command + ["-include", str(at / "world.hpp"), "-I", str(at)])
    if not found:
        print("skipped: neither g++ nor clang++ here", file=sys.stderr)
        sys.exit(77)
    return found


def rewrite(level, source, target, *more):
    """write TARGET; its statistics"""
    names = [word for name in FUNCTIONS for word in ("--function", name)]
    done = subprocess.run([REWRITE, "--level", level, *names, *more, source], capture_output=True, check=False)
    if done.returncode:
        raise Broken(f"{source}: rewrite --level {level} ended with {done.returncode}\n{done.stderr.decode()}")
    target.write_bytes(done.stdout)
    return {k: int(v) for k, v in (word.split("=") for word in done.stderr.decode().split()[-3:])}


def build(command, directory):
    """compile driver.cpp and what it includes; the compiler's words if it fails"""
    done = subprocess.run(
        [*command, "-I", directory, '-DDISPATCH="dispatch.cpp"', directory / "driver.cpp", "-o", directory / "program"],
        capture_output=True,
        check=False,
    )
    return None if done.returncode == 0 else done.stderr.decode(errors="replace")


def output(directory, seed, *more):
    """what the program prints, and how it ended"""
    try:
        done = subprocess.run(
            [directory / "program", str(CALLS), str(seed), *more], capture_output=True, timeout=1800, check=False
        )
    except subprocess.TimeoutExpired:
        return "longer than 1800 s\n"
    return done.stdout.decode(errors="replace") + f"status {done.returncode}\n"


def difference(stock, other, seed):
    """the first lines in which two programs differ"""
    a, b = (output(d, seed, "lines").splitlines() for d in (stock, other))
    for x, y in zip(a, b):
        if x != y:
            return f"  stock {x}\n  other {y}"
    return f"  stock {a[-1:]}\n  other {b[-1:]}"


def rewritten(stock, level, directory):
    """the files of STOCK in DIRECTORY, rewritten; statistics"""
    directory.mkdir(parents=True)
    shutil.copy(stock / "driver.cpp", directory)
    header = ["--header", stock / "gen.hpp", "--to", directory / "gen.hpp"] if HEADER and level != "text" else []
    if not header:
        shutil.copy(stock / "gen.hpp", directory)
    return Counter(rewrite(level, stock / "dispatch.cpp", directory / "dispatch.cpp", *header))


def check(command, stock, seed, expected):
    """Compare STOCK, built and run already, with its highest level that compiles: (level, statistics, refusals)."""
    refused = []
    for level in LEVELS[:-1]:
        at = stock / level
        stats = rewritten(stock, level, at)
        if not any(stats.values()):
            same = all((at / n).read_bytes() == (stock / n).read_bytes() for n in ("dispatch.cpp", "gen.hpp"))
            if not same:
                raise Broken(f"{at}: nothing is rewritten, yet the text differs")
            continue
        error = build(command, at)
        if error and "undefined reference" in error:
            raise Broken(f"{at}: compiles and does not link, which is too late to take another level\n{error}")
        if error:
            refused.append((level, error))
            continue
        if output(at, seed) != expected:
            raise Broken(f"{at}: does something else than {stock} ({' '.join(command)})\n{difference(stock, at, seed)}")
        return level, stats, refused
    return "text", Counter(), refused


def one_random(kind, seed, command):
    stock = WORK / f"{kind}{seed}"
    generate.generate(seed, stock, kind)
    if (stock / "dispatch.cpp").read_text().count("if") > 80:
        command = [word.replace("-O1", "-O0") for word in command]
    error = build(command, stock)
    if error:
        raise Broken(f"{stock}: the generated dispatcher does not compile\n{error}")
    level, stats, refused = check(command, stock, seed, output(stock, seed))
    branches = len(re.findall(r"\bif ?\(", (stock / "dispatch.cpp").read_text()))
    # a chain of fewer than four branches stays as it is
    if kind == "ck" and TABLES and level != "tables" and branches > 12:
        raise Broken(f"{stock}: of CK's form, and no table: {refused}")
    if not KEEP:
        shutil.rmtree(stock)
    return kind, level, stats, refused


def in_parallel(work, tasks):
    """the results of all tasks; every complaint is printed"""
    results, bad = [], 0
    with ThreadPoolExecutor(JOBS) as pool:
        for future in [pool.submit(work, *task) for task in tasks]:
            try:
                results.append(future.result())
            except Broken as complaint:
                print(complaint)
                bad += 1
    return results, bad


def main_random(commands):
    kinds = os.environ.get("KINDS", "ck wild").split()
    tasks = [
        (kind, seed, commands[(seed * len(kinds) + i) % len(commands)])
        for seed in range(FIRST, FIRST + SEEDS)
        for i, kind in enumerate(kinds)
    ]
    results, bad = in_parallel(one_random, tasks)
    total = Counter()
    for kind, level, stats, refused in results:
        total[f"{kind} {level}"] += 1
        total.update(stats)
        total.update(f"refused {level}" for level, _ in refused)
    print(", ".join(f"{k}: {v}" for k, v in sorted(total.items())))
    for level in LEVELS[:-1]:
        if "ck" in kinds and not total[f"ck {level}"] and level == LEVELS[0]:
            print(f"no dispatcher of CK's form was ever rewritten to {level}")
            bad += 1
    return bad


# ---- that a wrong rewrite is found


def swapped(text, rng):
    """two kernels in each other's place"""
    kernels = sorted(set(re.findall(r"\bfwd_traits_<[^;&]*?>(?=;|>|\))", text)))
    a, b = rng.sample(kernels, 2)
    return text.replace(a, "@").replace(b, a).replace("@", b), f"{a} and {b} swapped"


# as a chain says it, (t.x == true), and as a table does, ((t.x) == (true))
FLAG = re.compile(r"\(\(?(t\.(?:skip|is_\w+|has_\w+))\)? == \(?(true|false)\)?\)")


def unguarded(text, _rng):
    """one condition less"""
    atom = FLAG.search(text).group(0)
    return text.replace(atom, "(true)", 1), f"without {atom}"


def negated(text, rng):
    """two alternatives of a condition in each other's place"""
    name = rng.choice(sorted({m.group(1) for m in FLAG.finditer(text)}))

    def other(m):
        return f"({name} == {'false' if m.group(2) == 'true' else 'true'})" if m.group(1) == name else m.group(0)

    return FLAG.sub(other, text), f"{name} negated"


def one_wrong(seed, command):
    stock = WORK / f"plain{seed}"
    generate.generate(seed, stock, "plain")
    if build(command, stock):
        raise Broken(f"{stock}: does not compile")
    expected = output(stock, seed)
    level = check(command, stock, seed, expected)[0]
    right = stock if level == "text" else stock / level
    for change in (swapped, unguarded, negated):
        wrong = stock / change.__name__
        wrong.mkdir()
        for name in ("driver.cpp", "gen.hpp"):
            shutil.copy(right / name, wrong)
        text, what = change((right / "dispatch.cpp").read_text(), random.Random(seed))
        (wrong / "dispatch.cpp").write_text(text)
        if not build(command, wrong) and output(wrong, seed) == expected:
            raise Broken(f"{wrong}: {what}, and nothing was noticed")
    return level


def one_eager(form, command):
    """A form by hand whose odd condition is evaluated once, in front of the chain, as a careless table would."""
    atom = re.search(r"\(t\.hdim_q <= 8\) && (.*?) && \(a\.seqlen_q % 8 == 0\)", form.text).group(1)
    start = form.text.index("    if (")
    text = form.text[:start] + f"    const bool eager_ = bool({atom});\n" + form.text[start:].replace(atom, "eager_")
    expected = ""
    for name, it in (("stock", form), ("eager", form._replace(text=text))):
        at = WORK / f"{form.name} {name}"
        at.mkdir()
        for file, content in forms.files(it).items():
            (at / file).write_text(content)
        error = build(command, at)
        if error:
            raise Broken(f"{at}: does not compile\n{error}")
        if output(at, 1) == expected:
            raise Broken(f"{at}: evaluated too early and too often, and nothing was noticed")
        expected = output(at, 1)
    return "eager"


def main_wrong(commands):
    results, bad = in_parallel(one_wrong, [(seed, commands[seed % len(commands)]) for seed in range(1, 7)])
    # the value of a volatile that nobody changes is the same at any time
    odd = [f for f in forms.FORMS if f.tables.get("tables") == 0 and "has_lse == true) && (a.seqlen" in f.text]
    odd = [
        f for f in odd if re.search(r"\(t\.hdim_q <= 8\) && (?!\(t\.has_lse == true)", f.text) and f.name != "volatile"
    ]
    eager, worse = in_parallel(one_eager, [(f, commands[i % len(commands)]) for i, f in enumerate(odd)])
    print(f"{len(results) * 3} wrong rewrites of {Counter(results)} found, {len(eager)} of conditions evaluated early")
    return bad + worse


# ---- forms by hand


def one_form(form, command):
    stock = WORK / form.name
    stock.mkdir()
    for name, text in forms.files(form).items():
        (stock / name).write_text(text)
    error = build(command, stock)
    if error:
        raise Broken(f"{form.name}: does not compile\n{error}")
    try:
        level, stats, refused = check(command, stock, 1, output(stock, 1))
    except Broken:
        if form.known:
            return "known to differ"
        raise
    if form.known:
        print(f"{form.name}: was known to differ ({form.known}), and does not at level {level}")
    want = form.erased if not TABLES else form.tables
    got = Counter(stats) if level == LEVELS[0] else Counter()
    wrong = [f"{k}={got[k]}, expected {v}" for k, v in want.items() if v is not None and got[k] != v]
    if wrong:
        words = "".join(f"\n  {level} refused: {error[:600]}" for level, error in refused)
        raise Broken(f"{form.name}: {', '.join(wrong)}{words}")
    return level


def main_forms(commands):
    results, bad = in_parallel(one_form, [(f, commands[i % len(commands)]) for i, f in enumerate(forms.FORMS)])
    print(", ".join(f"{k}: {v}" for k, v in sorted(Counter(results).items())))
    return bad


if __name__ == "__main__":
    sys.exit(1 if {"random": main_random, "wrong": main_wrong, "forms": main_forms}[sys.argv[1]](prepare()) else 0)
