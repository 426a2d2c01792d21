#!/usr/bin/env python3
"""Call variants of a mini-aiter build and print how long each call took: calls.py LIBDIR [--small] [--json FILE] GLOB...

Each variant is called twice, and the numbers are checked as check.py checks them. Only the time in the library
counts.
"""

import argparse
import fnmatch
import json
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/mini-aiter"))
import check  # noqa: E402

seconds = []


def timed(function):
    def call(*args):
        start = time.perf_counter()
        result = function(*args)
        seconds.append(time.perf_counter() - start)
        return result

    return call


def human(s):
    return f"{s:7.2f} s " if s >= 0.1 else f"{s * 1e3:7.2f} ms"


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("libdir")
parser.add_argument("globs", nargs="+")
parser.add_argument("--small", action="store_true", default=check.generate.is_small(0))
parser.add_argument("--json", metavar="FILE")
args = parser.parse_args()

todo = [v for v in check.variants(args.small) if any(fnmatch.fnmatch(v.name, g) for g in args.globs)]
libs = {}
for v in todo:
    if v.library not in libs:
        libs[v.library] = lib = check.load(args.libdir, v.library)
        for name in ("mini_mha_fwd", "mini_mha_fwd_splitkv", "mini_mha_bwd", "mini_mha_bwd_launcher"):
            if hasattr(lib, name):
                function = getattr(lib, name)
                function.restype = check.ctypes.c_float
                setattr(lib, name, timed(function))
width = max(len(v.name) for v in todo)
rows = []
for v in todo:
    del seconds[:]
    try:
        check.check(v, libs, None)
        check.check(v, libs, None)
    except check.Failure as e:
        sys.exit(f"{v.name}: {e}")
    first, second = seconds[:2]
    rows.append({"variant": v.name, "kernels": v.kernels.strip(", ").split("@"), "first_s": first, "second_s": second})
    print(f"  {v.name:{width}}  first call {human(first)}   second call {human(second)}   numbers right", flush=True)
if args.json:
    with open(args.json, "w") as f:
        json.dump(rows, f, indent=1)
