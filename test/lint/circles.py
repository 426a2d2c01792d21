#!/usr/bin/env python3
"""circles.py OBJECTS SOURCES - find circles of files by the symbols of their objects

OBJECTS is a directory of object files, build/obj; SOURCES is the directory of their sources. X.o
counts if SOURCES/X.c exists: a removed source may have left its object. A file leads to another one
if its object leaves a symbol undefined that the other object defines. As in a link, the definition is
looked for in the file's room (the first part of its name, a program) and in core. Files that lead to
each other are a circle. For each circle, one line names its files, and each further line an arrow
with its symbols.

Exit status: 0 no circle, 1 circles, 2 nothing to look at.
"""
import collections
import os
import subprocess
import sys


def read(objects, sources):
    """{file: {file that it leads to: [symbol]}}, names without extension"""
    files = [
        os.path.relpath(os.path.join(at, name), objects)[: -len(".o")]
        for at, _, names in os.walk(objects)
        for name in names
        if name.endswith(".o")
    ]
    files = sorted(f for f in files if os.path.exists(os.path.join(sources, f + ".c")))
    if not files:
        print(f"{objects} has no object of a source in {sources}", file=sys.stderr)
        sys.exit(2)
    defined, undefined = collections.defaultdict(list), collections.defaultdict(list)
    command = ["nm", "-A", "-g", "-P", *(f + ".o" for f in files)]
    output = subprocess.run(command, cwd=objects, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in output.splitlines():
        name, symbol, kind, *_ = line.split()
        file = name[: -len(".o:")]
        if kind in "Uvw":
            undefined[file].append(symbol)
        else:
            defined[symbol].append(file)
    arrows = {f: collections.defaultdict(list) for f in files}
    for file in files:
        for symbol in undefined[file]:
            for room in file.split("/")[0], "core":
                there = [d for d in defined[symbol] if d.split("/")[0] == room]
                if there:
                    arrows[file][there[0]].append(symbol)
                    break
    return arrows


def circles(arrows):
    """Tarjan's strongly connected components of more than one file."""
    number, low, stack, found = {}, {}, [], []

    def visit(at):
        number[at] = low[at] = len(number)
        stack.append(at)
        for to in arrows[at]:
            if to not in number:
                visit(to)
            if to in stack:
                low[at] = min(low[at], low[to])
        if low[at] == number[at]:
            n = stack.index(at)
            if len(stack) - n > 1:
                found.append(sorted(stack[n:]))
            del stack[n:]

    for file in arrows:
        if file not in number:
            visit(file)
    return sorted(found)


def main():
    arrows = read(*sys.argv[1:])
    found = circles(arrows)
    for files in found:
        print(f"a circle of {len(files)} files:", " ".join(f + ".c" for f in files))
        for file in files:
            for to in sorted(set(files) & set(arrows[file])):
                print(f"  {file}.c -> {to}.c: {' '.join(sorted(arrows[file][to]))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
