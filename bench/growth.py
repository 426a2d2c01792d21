"""Growth: the cost of one blob among 1,000, 10,000 and, with --full, 100,000. Nothing is compiled.

Limits are on the time per blob at the largest number over that at the smallest. The two sides of these rows are
therefore sizes, not programs: ckjit is the largest number, against is the smallest.
"""

import functools
import json
import os
import shutil
import statistics

import common
import inputs
import load
from common import B, Figure, Limit, Result, fresh, rounds, run, said

SMALLEST = 1000


def sizes():
    return [SMALLEST, 10000] + ([100000] if common.FULL else [])


def per_blob(measure, unit="µs"):
    """MEASURE(count) gives seconds; a Result of the time per blob at the largest and the smallest count, in turn."""
    times = {count: [] for count in sizes()}
    for _ in range(rounds(3)):
        for count in times:
            times[count].append(measure(count) / count * 1e6)
    middle = {count: statistics.median(values) for count, values in times.items()}
    extra = {f"{unit} a blob at {count}": value for count, value in middle.items()}
    return Result(times[max(times)], times[SMALLEST], unit, {"blobs": sizes()}, extra)


@functools.cache
def stubs(count):
    """A directory with COUNT sources, their stub objects, recorded through a home, and a response file of them. All
    objects share one directory, as those of a build do."""
    d = fresh(f"growth-{count}")
    os.mkdir(f"{d}/src")
    os.mkdir(f"{d}/obj")
    env = inputs.home(d)
    with open(f"{d}/src/kernel.h", "w") as f:
        f.write("template <int N> float kernel_(float);\n")
    for i in range(count):
        with open(f"{d}/src/kernel_{i}.cpp", "w") as f:
            f.write('#include "kernel.h"\ntemplate <> float kernel_<%d>(float x) { return x; }\n' % i)
    with open(f"{d}/list", "w") as f:
        f.writelines(f"-O2 -fPIC -c {d}/src/kernel_{i}.cpp -o {d}/obj/kernel_{i}.o\n" for i in range(count))
    with open(f"{d}/objects.rsp", "w") as f:
        f.writelines(f"{d}/obj/kernel_{i}.o\n" for i in range(count))
    record(d, env)
    return d, env


def record(d, env):
    return run("xargs", "-a", f"{d}/list", "-L", "1", f"{d}/home/bin/hipcc", env=env)


def growth_record():
    """recording, per blob, at the largest number | at 1,000"""

    def measure(count):
        d, env = stubs(count)
        shutil.rmtree(f"{d}/obj")
        os.mkdir(f"{d}/obj")
        os.unlink(f"{d}/work/manifest.json.ndjson")
        return record(d, env)

    return per_blob(measure)


def growth_scan():
    """reading the stubs of a link, per blob, at the largest number | at 1,000"""

    def measure(count):
        d, _ = stubs(count)
        options = ["--home", f"{d}/home", "--work", f"{d}/work", "--compiler", "/bin/false", "--"]
        # The link step reads all stubs and plans, then fails at its first compile.
        link = ["-shared", f"@{d}/objects.rsp", "-o", f"{d}/lib.so"]
        done = common.attempt(f"{B}/libexec/ckjit/ckjit-link", *options, *link, env={"CK_JIT_VERBOSE": "1"})
        line = next((text for text in done.splitlines() if text.endswith("blobs read")), None)
        if not line:
            raise common.Failure(f"ckjit-link does not say how many blobs it read: {done[-1000:]}")
        return float(line.split(":")[1].split()[0])

    return per_blob(measure)


@functools.cache
def manifest(count):
    d = fresh(f"growth-manifest-{count}")
    blobs = {
        f"kernel_{i}": {
            "source": f"{{root}}/src/kernel_{i}.cpp",
            "group": 0,
            "functions": ["kernel_"],
            "key": f"{i:032x}",
        }
        for i in range(count)
    }
    group = {"flags": ["-O2"], "link": [], "archs": [inputs.ARCH]}
    top = {"ckjit": 1, "libraries": ["lib.so"], "root": "", "compiler": "/bin/false", "blobs": blobs, "groups": [group]}
    with open(f"{d}/ck_jit_manifest.json", "w") as f:
        json.dump(top, f)
    with open(f"{d}/names", "w") as f:
        f.writelines(f"kernel_{i}.cpp\n" for i in range(count))
    return d


def growth_manifest():
    """reading the manifest and looking up every blob, per blob, at the largest number | at 1,000"""

    def measure(count):
        d = manifest(count)
        options = ["--manifest", f"{d}/ck_jit_manifest.json", "--blob-list", f"{d}/names", "--cache-dir", f"{d}/cache"]
        return run(f"{B}/bin/ckjit-prebuild", "list", *options)

    return per_blob(measure)


def growth_records():
    """reading manifest.json.ndjson, per blob, at the largest number | at 1,000"""

    def measure(count):
        d, _ = stubs(count)
        return run(f"{B}/bin/ckjit-prebuild", "list", "--manifest", f"{d}/work/manifest.json.ndjson")

    return per_blob(measure)


def growth_memory():
    """bytes of a library per blob, all that is loaded, at the largest number | at 1,000"""
    values = {}
    for count in (SMALLEST, 10000):
        ours, _ = load.library(count)
        line = said("size", ours)[1].splitlines()[1]
        values[count] = sum(map(int, line.split()[:3])) / count
    extra = {f"B a blob at {count}": value for count, value in values.items()}
    return Result([values[10000]], [values[SMALLEST]], "B", {"blobs": list(values)}, extra)


LINEAR = [Limit("ratio", 1.3)]
FIGURES = [
    Figure("growth-record", growth_record, LINEAR),
    Figure("growth-scan", growth_scan, LINEAR),
    Figure("growth-manifest", growth_manifest, LINEAR),
    Figure("growth-records", growth_records, LINEAR),
    Figure("growth-memory", growth_memory, [Limit("ckjit", 1024)]),
]
