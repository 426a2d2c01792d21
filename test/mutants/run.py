#!/usr/bin/env python3
"""run.py [--check] [GLOB…] - take each protection that docs/reliability.md promises out of the source, and see its test fail.

A test that cannot fail says nothing. table.py has the mutants: each takes one protection out of the source, by replacing a text that stands
there once, and names the row of docs/reliability.md that promises it and the test that must notice. The tree is copied and built; each of the
tests must pass there. Then each mutant is made, built and given to its test, and made undone. Verdicts:

    noticed     the test fails, with its last words
    ended       it did not end, and was ended after LIMIT seconds (3600, as test/run has it): noticed, too
    UNNOTICED   the test passes without the protection
    MOVED       the text is not there, or more than once: the mutant has to be written anew
    BROKEN      it does not compile
    RED         the test fails without a mutant
    skipped     the test does not run on this machine

It ends with status 1 unless all are noticed, ended or skipped, and each row with a test of this repository has a mutant or a reason in table.py.
GLOB: only the mutants whose test, file, name or row it matches. --check: only whether the table fits the tree, which takes a second. WORK is where it
builds, B/mutants by itself; with KEEP=1 what is built there from an earlier time is used. ccache makes it faster.
"""
import ctypes
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import table

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.abspath(os.environ.get("WORK") or os.path.join(os.environ.get("B") or TOP + "/build", "mutants"))
LIMIT = float(os.environ.get("LIMIT", "3600"))
TREE, HOME = WORK + "/tree", WORK + "/tmp"
LEFT_OUT = (".git", "__pycache__")
GOOD = ("noticed", "ended", "skipped")
ASKS = {"netfs-append": "appends", "wrapper-mutations": "flags"}  # scripts that ask a program of test/unit


# ---- the table against the tree ----

def rows():
    """The rows of docs/reliability.md that name tests: text of the first cell, names in the last."""
    found = []
    with open(TOP + "/docs/reliability.md") as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
            if line.startswith("| ") and len(cells) > 1:
                tests = [t for t in re.findall(r"[a-z][a-z0-9-]*\*?", re.sub(r"`[^`]*`", "", cells[-1])) if is_test(t)]
                if tests and re.fullmatch(r"(`[^`]*`|[a-z0-9*-]+)(, (`[^`]*`|[a-z0-9*-]+))*", cells[-1]):
                    found.append((cells[0], tests))
    return found


def is_test(name):
    if name.startswith("unit-"):
        return os.path.exists(f"{TOP}/test/unit/{name[5:]}.c")
    return name.endswith("*") or os.path.exists(f"{TOP}/test/{name}.sh")


def fits(mutant, all_rows):
    """What is wrong with MUTANT in this tree; None: nothing."""
    named = [(row, tests) for row, tests in all_rows if row.startswith(mutant.row)]
    if len(named) != 1:
        return f"{len(named)} rows of docs/reliability.md begin with it"
    if not any(fnmatch.fnmatch(mutant.test.split(" ")[0], t) for t in named[0][1]):
        return f"its row names {', '.join(named[0][1])}, and not {mutant.test}"
    for file, old, new in mutant.edits:
        try:
            with open(f"{TOP}/{file}") as f:
                times = f.read().count(old)
        except OSError:
            return f"there is no {file}"
        if times != 1 or old == new:
            return f"{file} has it {times} times: {old!r}"
    return None


def check_rows(all_rows):
    """Rows without a mutant, and reasons without a row."""
    wrong = []
    for row, tests in all_rows:
        if not any(row.startswith(m.row) for m in table.MUTANTS) and not any(row.startswith(w) for w in table.WITHOUT):
            wrong.append(f"no mutant: {row} ({', '.join(tests)})")
    return wrong + [f"no such row: {w}" for w in table.WITHOUT if not any(row.startswith(w) for row, _ in all_rows)]


# ---- building and running ----

def environment():
    """That of test/run: the user's own settings are not the tests' business."""
    env = {k: v for k, v in os.environ.items() if not re.match(r"CK_JIT_|ROCM_|SLURM_|OMPI_|MAKE|MFLAGS|HIP_P|GPU_ARCHS|CXX$|CC$|CFLAGS$|SEED$|COUNT$|LIMIT$|KEEP$|WORK$", k)}
    return {**env, "B": TREE + "/build", "TMPDIR": HOME, "CCACHE_BASEDIR": TREE, "CCACHE_NOHASHDIR": "1"}


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def end_all():
    """Whatever a test has left: we are the parent of its orphans."""
    sent = signal.SIGTERM
    for _ in range(200):
        found = below(os.getpid())
        for pid in found:
            try:
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, sent)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        if not found:
            return
        time.sleep(0.1)
        sent = signal.SIGKILL


def below(pid):
    found = []
    for child in children(pid):
        found += [child, *below(child)]
    return found


def run(command, limit=None, **more):
    """Status and output; the status is None if it was ended. MORE: variables."""
    with open(WORK + "/output", "w+b") as out:
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=TREE, env={**environment(), **more}, start_new_session=True)
        try:
            status = p.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
            p.send_signal(signal.SIGTERM)  # its trap tidies up
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        end_all()
        out.seek(0)
        return status, out.read().decode(errors="replace")


def build(test=""):
    compiler = "ccache gcc" if shutil.which("ccache") else "gcc"
    name = test.split(" ")[0]
    unit = name[5:] if name.startswith("unit-") else ASKS.get(name)
    more = [f"build/test/unit/{unit}"] if unit else []
    # what a mutant leaves unused is no error
    return run(["make", "-s", f"-j{os.cpu_count()}", "CC=" + compiler, "WARN=-std=gnu11 -D_GNU_SOURCE -w", "all", *more])


def run_test(test):
    """TEST: its name, and variables with their values."""
    name, *variables = test.split(" ")
    shutil.rmtree(HOME, ignore_errors=True)
    os.mkdir(HOME)
    command = f"{TREE}/build/test/unit/{name[5:]}" if name.startswith("unit-") else f"{TREE}/test/{name}.sh"
    return run([command], LIMIT, **dict(v.split("=", 1) for v in variables))


def edit(mutant):
    """Make MUTANT of the copy; what is returned, called, makes it undone."""
    before = {}
    for file, old, new in mutant.edits:
        with open(f"{TREE}/{file}") as f:
            text = f.read()
        before.setdefault(file, text)
        with open(f"{TREE}/{file}", "w") as f:
            f.write(text.replace(old, new))

    def undo():
        for file, text in before.items():
            with open(f"{TREE}/{file}", "w") as f:
                f.write(text)
    return undo


def last_words(out):
    lines = [line for line in out.splitlines() if line.strip()]
    return next((line for line in lines if re.match(r"[a-z0-9-]+\.sh: ", line)), lines[-1] if lines else "without a word")[:200]


def prepare():
    if os.environ.get("KEEP") and os.path.isdir(TREE):
        for base, dirs, files in os.walk(TREE):
            dirs[:] = [d for d in dirs if not (base == TREE and d == "build")]
            for name in files:
                if not os.path.lexists(TOP + base[len(TREE):] + "/" + name):
                    os.remove(f"{base}/{name}")
        # what is another here than there, and what the last mutant has left
        for base, dirs, files in os.walk(TOP):
            dirs[:] = [d for d in dirs if d not in LEFT_OUT and not (base == TOP and d.startswith("build"))]
            there = TREE + base[len(TOP):]
            os.makedirs(there, exist_ok=True)
            for name in files:
                if name not in LEFT_OUT and not same(f"{base}/{name}", f"{there}/{name}"):
                    shutil.copy(f"{base}/{name}", f"{there}/{name}")
    else:
        shutil.rmtree(WORK, ignore_errors=True)
        shutil.copytree(TOP, TREE, symlinks=True, ignore=lambda base, names: [n for n in names if n in LEFT_OUT or (base == TOP and n.startswith("build"))])
    status, out = build()
    if status:
        sys.exit(f"the tree does not build: {out[-2000:]}")


def same(a, b):
    try:
        with open(a, "rb") as x, open(b, "rb") as y:
            return x.read() == y.read() and os.stat(a).st_mode == os.stat(b).st_mode
    except OSError:
        return False


def verdict(mutant, passes):
    """The verdict on MUTANT, and a word of its test's. PASSES: what is known of tests without a mutant."""
    if mutant.test not in passes:
        build(mutant.test)
        passes[mutant.test] = run_test(mutant.test)
    status, out = passes[mutant.test]
    if status == 77:
        return "skipped", last_words(out)
    if status != 0:
        return "RED", last_words(out)
    undo = edit(mutant)
    try:
        status, out = build(mutant.test)
        if status:
            return "BROKEN", out[-500:]
        status, out = run_test(mutant.test)
    finally:
        undo()
    if status is None:
        return "ended", f"after {LIMIT:g} s"
    return ("UNNOTICED", "") if status == 0 else ("skipped", last_words(out)) if status == 77 else ("noticed", last_words(out))


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    all_rows = rows()
    wrong = check_rows(all_rows)
    chosen = [m for m in table.MUTANTS if not words or any(fnmatch.fnmatch(text, w) for w in words for text in (m.test, m.test.split(" ")[0], m.row, m.name, *(e[0] for e in m.edits)))]
    moved = {m: fits(m, all_rows) for m in chosen}
    if "--check" not in sys.argv:
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        os.makedirs(WORK, exist_ok=True)
        prepare()
    passes, count = {}, {}
    for m in chosen:
        if not moved[m] and "--check" in sys.argv:
            continue
        begun = time.monotonic()
        found, said = ("MOVED", moved[m]) if moved[m] else verdict(m, passes)
        count[found] = count.get(found, 0) + 1
        print(f"{found:9} {m.test}: {m.row[:60]}: {m.edits[0][0]}: {m.name!r} ({time.monotonic() - begun:.0f} s)" + (f"\n          {said}" if said else ""), flush=True)
    for w in wrong:
        print(w)
    if not words:
        for row, reason in table.WITHOUT.items():
            print(f"without   {row}: {reason}")
    print(f"{len(chosen)} mutants: " + ", ".join(f"{n} {what}" for what, n in sorted(count.items())))
    sys.exit(1 if wrong or any(what not in GOOD for what in count) else 0)


main()
