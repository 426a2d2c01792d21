#!/usr/bin/env python3
"""commute.py UNIT DIR COMPILER [nvcc] - flags whose order a key ignores: does the compiler ignore it as well?

Every pair of flags is given to the compiler in both orders, and it is asked what it would start (clang -###, nvcc --dryrun).
If the key of the two lines is one (UNIT is build/test/unit/commute), the commands must be one; macros and LLVM's options may change
places in them, of different names. The flags are those of the key's own table, and others that are known to interfere.
"""
import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

UNIT, DIR, COMPILER = sys.argv[1:4]
NVCC = len(sys.argv) > 4

# What must not commute: each interferes with another one of the list.
HAZARDS = """-fPIE -fpic -fno-pic -ffast-math -Ofast -ffp-model=fast -ffp-model=strict -ffp-contract=off -fno-math-errno -fmath-errno
-ffinite-math-only -fno-finite-math-only -fno-honor-nans -fhonor-nans -funsafe-math-optimizations -fno-associative-math
-fno-signed-zeros -ffp-exception-behavior=strict -mfma -mno-avx -mavx512f -march=haswell -fsanitize=undefined -fno-sanitize=signed-integer-overflow
-fvisibility=default -DA=1 -UA -DA=2 -std=c++17 -fopenmp""".split()
NVCC_FLAGS = """-DA=1 -UA -DA=2 -DB -O3 -std=c++17 -use_fast_math -fmad=false --expt-relaxed-constexpr -lineinfo -Xcompiler=-fPIC
-Xcompiler=-DA=3 -Xcompiler=-O2 -include=cstddef -Xptxas=-O1""".split()
# macros and LLVM's options: they are handed on in order, and no two of different names have to do with each other
HANDED_ON = re.compile(r'"?-mllvm"? "[^"]*"|"-plugin-opt=-[^"]*"|"?-[DU]"? ?"?[^" ]+"?')


def commands(flags):
    """what the compiler would start for FLAGS, without names that differ from call to call; None: it does not take them"""
    if NVCC:
        words = ["--dryrun", "-c", *flags.split(), "x.cu"]
    else:
        words = ["-###", "--offload-arch=gfx90a", "-nogpulib", "-nogpuinc", "-c", *flags.split(), "-x", "hip", "x.cu"]
    r = subprocess.run([COMPILER, *words], cwd=DIR, capture_output=True, text=True, env={**os.environ, "TMPDIR": DIR})
    if r.returncode or "error:" in r.stderr:
        return None
    assert '"-cc1"' in r.stderr or "cicc" in r.stderr, r.stderr
    text = "\n".join(line for line in r.stderr.split("\n") if "warning:" not in line)
    text = re.sub(r'[^",]*/x-[0-9a-f]{6}|tmpxft_[0-9a-f_-]*', "TEMPORARY", text)
    return re.sub(r'"-cuid=[0-9a-f]*"', "", text)  # a name made from the words as they stand


def same(a, b, one, other):
    if one == other:
        return True
    handed_on = all(re.match("-mllvm|-[DU]", flag) for flag in (a, b))
    def parts(text):
        return HANDED_ON.sub("", text), sorted(HANDED_ON.findall(text))
    return handed_on and parts(one) == parts(other)


def keys(lines):
    prefix = "nvcc " if NVCC else ""
    out = subprocess.run([UNIT, "keys"], input="".join(prefix + line + "\n" for line in lines), capture_output=True, text=True, check=True).stdout
    out = out.split("\n")[:-1]
    assert len(out) == len(lines)
    return out


def check_llvm(names):
    """Each is an option of LLVM's of its own: of two names for one variable the last one given would count."""
    r = subprocess.run([COMPILER, "-mllvm", "-help-hidden", "-c", "x.cu"], cwd=DIR, capture_output=True, text=True)
    options = dict(re.findall(r"^ +--?([a-z0-9-]+)[^ ]* +- (.*)", r.stdout, re.M))
    known = [o for n in names for o in options if o == n or n.endswith("-") and o.startswith(n)]
    alias = [o for o in known if options[o].startswith("Alias for")]
    if alias or len(known) < len(names):
        sys.exit(f"of LLVM's options {known} these are aliases: {alias}")


def main():
    with open(os.path.join(DIR, "x.cu"), "w") as f:
        f.write("int f(int x) { return x; }\n")
    if NVCC:
        flags = NVCC_FLAGS
    else:
        table = subprocess.run([UNIT, "examples"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
        check_llvm([line.split("--")[1] for line in table if " -mllvm " in line])
        flags = list(dict.fromkeys([line.split(" ", 1)[1] for line in table] + HAZARDS))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        known = list(pool.map(commands, flags))
        for flag, command in zip(flags, known):
            if command is None:
                print(f"{COMPILER} does not take {flag}: not compared")
        flags = [flag for flag, command in zip(flags, known) if command is not None]
        # of LLVM's options two stand for all with other flags: the driver hands each on alike
        llvm = [f for f in flags if f.startswith("-mllvm")]
        pairs = [(a, b) for a, b in itertools.combinations(flags, 2) if len({a, b} & set(llvm[2:])) in (0, 2)]
        orders = [f"{x} {y}" for a, b in pairs for x, y in ((a, b), (b, a))]
        text = keys(orders)
        # what has two keys anyway need not be asked, but for what is known to interfere
        asked = [i for i in range(len(pairs)) if text[2 * i] == text[2 * i + 1] or set(pairs[i]) <= set(HAZARDS + NVCC_FLAGS)]
        answers = list(pool.map(commands, [orders[2 * i + k] for i in asked for k in (0, 1)]))
    commuting = interfering = 0
    wrong = []
    for n, i in enumerate(asked):
        one, other = answers[2 * n:2 * n + 2]
        one_key = text[2 * i] == text[2 * i + 1]
        agree = one is not None and other is not None and same(*pairs[i], one, other)
        commuting += one_key and agree
        interfering += not one_key and not agree
        if one_key and (one or other) and not agree:
            wrong.append(f"{pairs[i][0]} and {pairs[i][1]}: one key, but the compiler does not do the same in both orders")
    print("\n".join(wrong[:20]))
    print(f"{len(flags)} flags: {commuting} pairs commute and have one key, {interfering} interfere and have two, {len(wrong)} wrong")
    least = (20, 3) if NVCC else (900, 30)
    if wrong or commuting < least[0] or interfering < least[1]:
        sys.exit(f"expected at least {least} of both, and 0 wrong")


main()
