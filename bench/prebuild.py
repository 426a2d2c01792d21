"""ckjit-prebuild against xargs: the same compiles, as many at a time."""

import json
import os
import shlex
import shutil

import inputs
from common import HELPERS, B, Failure, Figure, Limit, Result, fresh, in_turn, rounds, run

KERNELS = 64

# The C++ compiler under hipcc's name, so that a compile takes a fraction of a second and the overhead shows.
COMPILER = """#!/bin/sh
for a; do
  shift
  case $a in --offload-arch=* | -x | hip | none) ;; *) set -- "$@" "$a" ;; esac
done
exec c++ -x c++ "$@"
"""

LOGGER = """#!/bin/sh
for a; do printf " '%%s'" "$a"; done >>%s
echo >>%s
exit 1
"""


def install(directory):
    """An install of KERNELS blobs: its root."""
    root = f"{directory}/ck_jit"
    os.makedirs(f"{root}/src")
    shutil.copy(f"{HELPERS}/call/kernel.h", f"{root}/src")
    with open(f"{directory}/hipcc", "w") as f:
        f.write(COMPILER)
    os.chmod(f"{directory}/hipcc", 0o755)
    blobs = {}
    for i in range(KERNELS):
        with open(f"{root}/src/kernel_{i}.cu", "w") as f:
            f.write('#include "kernel.h"\n#include <string>\n#include <vector>\n#include <map>\n')
            f.write("template <> float kernel_<traits<%d>>(const stream &, kernel_args a) { return a.scale; }\n" % i)
        blobs[f"kernel_{i}"] = {
            "source": f"{{root}}/src/kernel_{i}.cu",
            "group": 0,
            "functions": ["kernel_"],
            "key": f"{i + 1:032x}",
        }
    group = {"flags": ["-O2"], "link": [], "archs": [inputs.ARCH]}
    manifest = {
        "ckjit": 1,
        "libraries": ["lib.so"],
        "root": "",
        "compiler": f"{directory}/hipcc",
        "blobs": blobs,
        "groups": [group],
    }
    with open(f"{root}/ck_jit_manifest.json", "w") as f:
        json.dump(manifest, f)
    return root


def commands(root, directory):
    """The compile command of each blob, as ckjit-prebuild runs it, in a file for xargs."""
    with open(f"{root}/ckjit-compile", "w") as f:
        f.write(LOGGER % ((shlex.quote(f"{directory}/commands"),) * 2))
    os.chmod(f"{root}/ckjit-compile", 0o755)
    try:
        build(root, f"{directory}/cache", 1)
    except Failure:  # as was meant
        pass
    os.unlink(f"{root}/ckjit-compile")
    with open(f"{directory}/commands") as f:
        if len(f.readlines()) != KERNELS:
            raise Failure(f"expected {KERNELS} lines in {directory}/commands")
    return f"{directory}/commands"


def build(root, cache, jobs):
    options = [
        "--manifest",
        f"{root}/ck_jit_manifest.json",
        "--root",
        root,
        "--cache-dir",
        cache,
        "-j",
        str(jobs),
        "--all",
    ]
    return run(f"{B}/bin/ckjit-prebuild", "build", *options)


def prebuild():
    """ckjit-prebuild of 64 kernels | xargs -P with the same command lines"""
    d = fresh("prebuild")
    root, jobs = install(d), len(os.sched_getaffinity(0))
    lines = commands(root, d)

    def empty_cache():
        shutil.rmtree(f"{d}/cache", ignore_errors=True)
        os.mkdir(f"{d}/cache", 0o755)

    def ours(_):
        empty_cache()
        return build(root, f"{d}/cache", jobs)

    def against(_):
        empty_cache()
        seconds = run("xargs", "-P", str(jobs), "-L", "1", "-a", lines, f"{B}/bin/ckjit-compile")
        made = sum(name.endswith(".so") for name in os.listdir(f"{d}/cache"))
        if made != KERNELS:
            raise Failure(f"xargs: {made} of {KERNELS} kernels")
        return seconds

    values = in_turn(rounds(5), ours, against)
    return Result(*values, "s", {"kernels": KERNELS, "jobs": jobs, "compiler": "c++"})


FIGURES = [Figure("prebuild", prebuild, [Limit("ratio", 0.97, least=True)], ratio="against/ckjit")]
