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


# ---- load -------------------------------------------------------------------------------------------------------------

HEADER = """#pragma once
struct args { float scale; };
template <int N> struct traits {};
template <class T> float kernel_(args a);
"""


@functools.cache
def synthetic():
    """A library of BLOBS blobs, host code only, linked through a home and by the C++ compiler: (directory, both files)."""
    d = fresh("load")
    os.mkdir(f"{d}/src")
    with open(f"{d}/src/kernel.h", "w") as f:
        f.write(HEADER)
    names = [f"kernel_{i}" for i in range(BLOBS)]
    for i, name in enumerate(names):
        with open(f"{d}/src/{name}.cpp", "w") as f:
            f.write('#include "kernel.h"\nusing trait_0 = traits<%d>;\n' % i)
            f.write("template <> float kernel_<trait_0>(args a) { return a.scale + %d; }\n" % i)
    with open(f"{d}/src/entry.cpp", "w") as f:
        f.write('#include "kernel.h"\nextern "C" __attribute__((visibility("default"))) float entry(int i) {\n  switch (i) {\n')
        for i in range(BLOBS):
            f.write("  case %d: return kernel_<traits<%d>>({1});\n" % (i, i))
        f.write("  }\n  return 0;\n}\n")
    compiler = "hipcc"  # host sources by their names, so that no side has device code
    flags = "-O2 -fPIC -fvisibility=hidden"
    for side in "ckjit", "stock":
        os.mkdir(f"{d}/{side}")
        with open(f"{d}/{side}/build.ninja", "w") as f:
            f.write(f"rule cc\n  command = {compiler} {flags} -c $in -o $out\n")
            f.write(f"rule link\n  command = {compiler} -shared @$out.rsp -o $out\n  rspfile = $out.rsp\n  rspfile_content = $in\n")
            for name in [*names, "entry"]:
                f.write(f"build {name}.o: cc ../src/{name}.cpp\n")
            f.write("build lib.so: link " + " ".join(f"{name}.o" for name in [*names, "entry"]) + "\n")
    run("ninja", "-C", f"{d}/ckjit", env=inputs.home(d))
    # A compile of each with hipcc would take minutes: one unit with the same functions.
    with open(f"{d}/src/all.cpp", "w") as f:
        f.writelines(f'#define trait_0 trait_{i}\n#include "{name}.cpp"\n#undef trait_0\n' for i, name in enumerate(names))
    for name in "all", "entry":
        run(compiler, *flags.split(), "-c", f"{d}/src/{name}.cpp", "-o", f"{d}/stock/{name}.o")
    run(compiler, "-shared", f"{d}/stock/all.o", f"{d}/stock/entry.o", "-o", f"{d}/stock/lib.so")
    if subprocess.call(["grep", "-q", "ckjit_u0_slots", f"{d}/ckjit/lib.so"]):
        raise Failure(f"{d}/ckjit/lib.so has no forwarding stubs")
    return d, f"{d}/ckjit/lib.so", f"{d}/stock/lib.so"


def load():
    """loading a library in a fresh process | the stock library of the same host code"""
    d, ours, stock = synthetic()
    program = helper("load", d, "-ldl")
    values = in_turn(SETS, lambda _: loads(program, ours), lambda _: loads(program, stock))
    return Result(*values, "µs", {"blobs": BLOBS, "bytes": [os.path.getsize(ours), os.path.getsize(stock)], "starts": SETS * ROUNDS})


def load_ck():
    """loading CK's libmha_bwd | the stock dispatcher linked with the same stubs"""
    import postbuild

    ours, stock = postbuild.stripped_pair()
    if not stock:
        raise Skip("the stock dispatcher of bwd is not compiled: see post-bwd")
    d = fresh("load-ck")
    program = helper("load", d, "-ldl", "-static-libgcc")
    values = in_turn(SETS, lambda _: loads(program, ours, wrap=inputs.inside), lambda _: loads(program, stock, wrap=inputs.inside))
    return Result(*values, "µs", {"bytes": [os.path.getsize(ours), os.path.getsize(stock)], "starts": SETS * ROUNDS})


# ---- call -------------------------------------------------------------------------------------------------------------


def call_pair(directory, flags):
    """The libraries of helpers/call, linked through a home and by hipcc."""
    libraries = {"ckjit": inputs.home(directory), "stock": {}}
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
    """the same with small arguments, so that the call is all"""
    return calls("call-small", ["-DSMALL"], "a reference, 4 bytes by value")


FIGURES = [
    Figure("load", load, [Limit("ratio", 1.1)]),
    Figure("load-ck", load_ck, [Limit("ratio", 1.1)], full=True),
    Figure("call", call, [Limit("difference", 1.5)]),
    Figure("call-small", call_small, [Limit("difference", 1.5)]),
]
