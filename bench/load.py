"""Loading a library with forwarding stubs, and calling through one."""

import ctypes
import functools
import os
import statistics
import subprocess

import inputs
from common import HELPERS, Failure, Figure, Limit, Result, Skip, fresh, helper, in_turn, run, said

BLOBS = 500  # of the synthetic library
SETS = 7  # of rounds in processes of their own
ROUNDS = 40


def needed(library, wrap=lambda *command: command):
    """Paths of the libraries that LIBRARY needs."""
    lines = said(*wrap("ldd", library))[1].splitlines()
    return [line.split("=>")[1].split()[0] for line in lines if "=> /" in line]


def loads(program, library, symbol=(), wrap=lambda *command: command, env=None):
    """Median microseconds, of ROUNDS fresh processes."""
    text = said(*wrap(program, str(ROUNDS), library, *symbol, "--", *needed(library, wrap)), env=env)[1]
    return statistics.median(map(float, text.split()))


# ---- load ----

HEADER = """#pragma once
struct args { float scale; };
template <int N> struct traits {};
template <class T> float kernel_(args a);
"""


def write_sources(directory, count):
    with open(f"{directory}/kernel.h", "w") as f:
        f.write(HEADER)
    for i in range(count):
        with open(f"{directory}/kernel_{i}.cpp", "w") as f:
            f.write('#include "kernel.h"\nusing trait_0 = traits<%d>;\n' % i)
            f.write("template <> float kernel_<trait_0>(args a) { return a.scale + %d; }\n" % i)
    with open(f"{directory}/entry.cpp", "w") as f:
        f.write('#include "kernel.h"\nextern "C" __attribute__((visibility("default"))) float entry(int i) {\n')
        f.write("  switch (i) {\n")
        for i in range(count):
            f.write("  case %d: return kernel_<traits<%d>>({1});\n" % (i, i))
        f.write("  }\n  return 0;\n}\n")
    with open(f"{directory}/all.cpp", "w") as f:  # for stock: to compile each with hipcc would take minutes
        for i in range(count):
            f.write(f'#define trait_0 trait_{i}\n#include "kernel_{i}.cpp"\n#undef trait_0\n')


FLAGS = ["-O2", "-fPIC", "-fvisibility=hidden"]


@functools.cache
def library(count):
    """(a library of COUNT blobs, host code only, linked through a home; the directory of its sources)"""
    d = fresh(f"load-{count}")
    os.mkdir(f"{d}/src")
    write_sources(f"{d}/src", count)
    names = [*(f"kernel_{i}" for i in range(count)), "entry"]
    with open(f"{d}/build.ninja", "w") as f:
        f.write(f"rule cc\n  command = hipcc {' '.join(FLAGS)} -c $in -o $out\n")
        f.write(
            "rule link\n  command = hipcc -shared @$out.rsp -o $out\n  rspfile = $out.rsp\n  rspfile_content = $in\n"
        )
        for name in names:
            f.write(f"build {name}.o: cc src/{name}.cpp\n")
        f.write("build lib.so: link " + " ".join(f"{name}.o" for name in names) + "\n")
    run("ninja", "-C", d, env=inputs.home(d))
    if subprocess.call(["grep", "-q", "ckjit_u0_slots", f"{d}/lib.so"]):
        raise Failure(f"{d}/lib.so has no forwarding stubs")
    return f"{d}/lib.so", d


def stock_library(directory):
    """The same by hipcc alone."""
    for name in "all", "entry":
        run("hipcc", *FLAGS, "-c", f"{directory}/src/{name}.cpp", "-o", f"{directory}/stock-{name}.o")
    run("hipcc", "-shared", f"{directory}/stock-all.o", f"{directory}/stock-entry.o", "-o", f"{directory}/stock.so")
    return f"{directory}/stock.so"


def load():
    """loading a library in a fresh process | the stock library of the same host code"""
    ours, d = library(BLOBS)
    stock = stock_library(d)
    program = helper("load", d, "-ldl")
    values = in_turn(SETS, lambda _: loads(program, ours), lambda _: loads(program, stock))
    return Result(
        *values,
        "µs",
        {"blobs": BLOBS, "bytes": [os.path.getsize(ours), os.path.getsize(stock)], "starts": SETS * ROUNDS},
    )


def load_ck():
    """loading CK's libmha_bwd | the stock dispatcher linked with the same stubs"""
    import postbuild

    ours, stock = postbuild.stripped_pair()
    if not stock:
        raise Skip("the stock dispatcher of bwd is not compiled: see post-bwd")
    d = fresh("load-ck")
    program = helper("load", d, "-ldl", "-static-libgcc")
    values = in_turn(
        SETS, lambda _: loads(program, ours, wrap=inputs.inside), lambda _: loads(program, stock, wrap=inputs.inside)
    )
    return Result(*values, "µs", {"bytes": [os.path.getsize(ours), os.path.getsize(stock)], "starts": SETS * ROUNDS})


# ---- call ----


def call_pair(directory, flags, keep=""):
    """The libraries of helpers/call, linked through a home, with KEEP in its configuration, and by hipcc."""
    libraries = {"ckjit": inputs.home(directory), "stock": {}}
    with open(f"{directory}/home/ckjit.conf", "a") as f:
        f.write(keep)
    flags = ["-O2", "-fPIC", "-fvisibility=hidden", f"--offload-arch={inputs.ARCH}", *flags]
    for name, env in libraries.items():
        objects = [f"{directory}/{name}-{source}.o" for source in ("kernel_d64", "loop")]
        for source, made in zip(("kernel_d64", "loop"), objects):
            run("hipcc", *flags, "-c", f"{HELPERS}/call/{source}.cu", "-o", made, env=env)
        run("hipcc", "-shared", *objects, "-o", f"{directory}/{name}.so", env=env)
    if subprocess.call(["grep", "-q", "ckjit_u0_slots", f"{directory}/ckjit.so"]):
        raise Failure(f"{directory}/ckjit.so has no forwarding stubs")
    return f"{directory}/ckjit.so", f"{directory}/stock.so"


def calls(name, flags, arguments):
    d = fresh(name)
    chunk, loops = 10000, []  # short enough to run without being preempted
    os.environ["CK_JIT_CACHE_DIR"] = f"{d}/cache"
    for library in call_pair(d, flags):
        loop = ctypes.CDLL(library).ns_per_call
        loop.restype = ctypes.c_double
        loop(ctypes.c_long(chunk))
        loops.append(loop)
    del os.environ["CK_JIT_CACHE_DIR"]
    values = in_turn(1000, lambda _: loops[0](ctypes.c_long(chunk)), lambda _: loops[1](ctypes.c_long(chunk)))
    return Result(*values, "ns", {"calls": chunk, "arguments": arguments})


def call():
    """a call after the first | the same call in a stock library"""
    return calls("call", [], "a reference, 264 bytes by value")


def call_small():
    """the same with small arguments, so that only the call is measured"""
    return calls("call-small", ["-DSMALL"], "a reference, 4 bytes by value")


FIGURES = [
    Figure("load", load, [Limit("ratio", 1.1)]),
    Figure("load-ck", load_ck, [Limit("ratio", 1.1)], full=True),
    Figure("call", call, [Limit("difference", 1.5)]),
    Figure("call-small", call_small, [Limit("difference", 1.5)]),
]
