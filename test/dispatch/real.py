#!/usr/bin/env python3
"""Real dispatchers, stock and rewritten, side by side: which kernels they choose, and how long that takes.

    real.py build FAMILY OUT --source CPP --work DIR [--stock OBJECT] -- COMPILER FLAGS…
    real.py compare FAMILY OUT CALLS
    real.py time FAMILY OUT

FAMILY is fwd, splitkv, prefill, bwd or launcher. DIR is the library's directory in ckjit-link's work directory: its
forwarding units and the rewritten text of CPP. `build` makes OUT/FAMILY-stock.so (its dispatcher compiled here, with
FLAGS, or OBJECT), -ckjit.so and, if there are tables, -rows.so, which says the row that it took. driver.cpp is in
all of them. `compare` fails if two of them choose differently. `time` prints one JSON object. No GPU is needed, and no
kernel is compiled: a stub that is called notes it and returns.
"""

import argparse
import ctypes
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = 1000000  # rows of different tables are this far apart
NO_ROW = TABLE - 1  # a table was asked, and has no row


def run(*command):
    done = subprocess.run(command, check=False)
    if done.returncode:
        sys.exit(f"real.py: {' '.join(command)} ended with {done.returncode}")


def say_rows(text):
    """The rewritten dispatcher, made to note the table and row that it took."""

    def note(m):
        row = "ckjit_row" if m.group(2) == "found" else NO_ROW
        label = f"{m.group(0)} ckjit_row_taken = {m.group(1)} * {TABLE} + {row};"
        return label

    text = re.sub(r"^ckjit_(\d+)_(found): \{", note, text, flags=re.M)
    text = re.sub(r"^ckjit_(\d+)_(none):;", note, text, flags=re.M)
    return 'extern "C" long ckjit_row_taken;\n' + text


def build(args, command):
    compiler, flags = command[0], command[1:]
    base = f"{args.out}/{args.family}"
    stem, extension = os.path.splitext(os.path.basename(args.source))
    rewritten = f"{args.work}/units/{stem}{extension}"
    beside = ["-iquote", os.path.dirname(args.source)]
    overlay = f"{args.work}/units/{stem}.overlay"
    if os.path.exists(overlay):
        beside += ["-ivfsoverlay", overlay]
    run(compiler, *flags, "-O1", f"-D{args.family.upper()}", "-c", f"{HERE}/driver.cpp", "-o", f"{base}-driver.o")
    linked = [f"{args.work}/objs/{kind}dispatcher-{stem}.o" for kind in ("near-", "")]  # the first if there is one
    objects = {"stock": args.stock or f"{base}-stock.o", "ckjit": next(filter(os.path.exists, linked))}
    if not args.stock:
        run(compiler, *flags, "-c", args.source, "-o", objects["stock"])
    with open(rewritten) as f:
        text = f.read()
    if "ckjit_row" in text:
        with open(f"{base}-rows{extension}", "w") as f:
            f.write(say_rows(text))
        objects["rows"] = f"{base}-rows.o"
        run(compiler, *flags, "-O1", "-w", *beside, "-c", f"{base}-rows{extension}", "-o", objects["rows"])
    units = sorted(glob.glob(f"{args.work}/objs/stubs-*.o"))
    for name, made in objects.items():
        run(compiler, "-shared", made, f"{base}-driver.o", *units, "-o", f"{base}-{name}.so")


def libraries(args):
    found = {}
    for name in "stock", "ckjit", "rows":
        file = f"{args.out}/{args.family}-{name}.so"
        if os.path.exists(file):
            found[name] = ctypes.CDLL(file)
            for function in "time_one", "time_many":
                getattr(found[name], function).restype = ctypes.c_double
    return found


def choose(library, first, count):
    """(hashes of what was chosen, rows, kernels called) for that many calls"""
    out, rows, called = ((kind * count)() for kind in (ctypes.c_uint64, ctypes.c_int64, ctypes.c_uint64))
    library.choose(ctypes.c_uint64(first), ctypes.c_long(count), out, rows, called)
    return list(out), list(rows), list(called)


def compare(args):
    found = libraries(args)
    first = int(os.environ.get("SEED", "1"))
    results = {name: choose(library, first, args.calls) for name, library in found.items()}
    hashes, _, called = results["stock"]
    worst = 0
    for name in sorted(set(found) - {"stock"}):
        differ = [first + i for i, pair in enumerate(zip(hashes, results[name][0])) if pair[0] != pair[1]]
        chosen = sum(c > 0 for c in called)
        print(
            f"{args.family}: {args.calls} random calls, {chosen} with kernels, {len(set(hashes))} different outcomes: "
            f"{name} differs in {len(differ)}" + (f", first with seed {differ[0]}" if differ else "")
        )
        worst = max(worst, len(differ))
    if sum(c > 0 for c in called) < 100 or len(set(hashes)) < 5:
        sys.exit(f"real.py: {args.family}: hardly any call reaches a kernel, the comparison says nothing")
    return 1 if worst else 0


def branches(library):
    """Seeds for the first, middle and last row of the largest table, and for a call of which no row holds."""
    rows = choose(library, 1, 400000)[1]
    seen = [row for row in rows if row >= 0 and row % TABLE != NO_ROW]
    tables = {row // TABLE for row in seen}
    largest = max(tables, key=lambda t: max(row for row in seen if row // TABLE == t))
    inside = sorted({row for row in seen if row // TABLE == largest})
    wanted = {"first": inside[0], "middle": inside[len(inside) // 2], "last": inside[-1]}
    if largest * TABLE + NO_ROW in rows:
        wanted["none"] = largest * TABLE + NO_ROW
    return {name: (rows.index(row) + 1, row % TABLE) for name, row in wanted.items()}


def times(args):
    found = libraries(args)
    if "rows" not in found:
        sys.exit(f"real.py: {args.family}: the dispatcher has no table")
    result = {}
    pair = {"stock": found["stock"], "ckjit": found["ckjit"]}
    for name, (seed, row) in branches(found["rows"]).items():
        values = {side: [] for side in pair}
        for i in range(201):
            for side in sorted(pair, reverse=i % 2 == 1):
                values[side].append(pair[side].time_one(ctypes.c_uint64(seed), ctypes.c_long(2000)))
        result[name] = {"row": row, **values}
    values = {side: [] for side in pair}
    for i in range(15):
        for side in sorted(pair, reverse=i % 2 == 1):
            values[side].append(pair[side].time_many(ctypes.c_uint64(1), ctypes.c_long(20000), ctypes.c_long(1)))
    result["random"] = values
    print(json.dumps(result))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in "build", "compare", "time":
        sub = commands.add_parser(name)
        sub.add_argument("family", choices=["fwd", "splitkv", "prefill", "bwd", "launcher"])
        sub.add_argument("out")
        if name == "build":
            sub.add_argument("--source", required=True)
            sub.add_argument("--work", required=True)
            sub.add_argument("--stock")
        if name == "compare":
            sub.add_argument("calls", type=int)
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:cut])
    if args.command == "build":
        return build(args, words[cut + 1 :])
    return compare(args) if args.command == "compare" else times(args)


if __name__ == "__main__":
    sys.exit(main())
