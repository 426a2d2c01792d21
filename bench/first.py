"""The first call of a kernel: not compiled yet, and compiled by an earlier process."""

import glob
import json
import os
import statistics

import inputs
import load
from common import HELPERS, OUT, Failure, Figure, Limit, Result, fresh, helper, in_turn, rounds, run, said

# ---- not cached ----


def forget_kernels(cache):
    """Make the cache as the next kernel's first call finds it: with the shared precompiled headers."""
    for file in glob.glob(f"{cache}/*.so"):
        os.unlink(file)


def mini_call(cache):
    """The seconds of the first call of inputs.VARIANT."""
    d, _ = inputs.mini()
    command = ["python3", f"{HELPERS}/calls.py", f"{d}/i", "--small", "--json", f"{OUT}/calls.json", inputs.VARIANT]
    run(*command, env={"CK_JIT_CACHE_DIR": cache})
    with open(f"{OUT}/calls.json") as f:
        return json.load(f)[0]["first_s"]


def stock_command(blob, output):
    args = list(blob["args"])
    args.remove("-c")
    args[args.index("-o") + 1] = output
    return [blob["compiler"], "-shared", *args]


def first_call():
    """a kernel's first call | hipcc -shared of its blob"""
    _, blobs = inputs.mini()
    work = fresh("first")
    without_headers = mini_call(f"{work}/cache")
    stem = os.path.basename(glob.glob(f"{work}/cache/*.so")[0])[:-3]
    blob = next(b for b in blobs if b["stem"] == stem)

    def ours(_):
        forget_kernels(f"{work}/cache")
        return mini_call(f"{work}/cache")

    values = in_turn(rounds(5), ours, lambda _: run(*stock_command(blob, f"{work}/stock.so"), cwd=blob["cwd"]))
    extra = {"seconds with an empty cache": without_headers}
    return Result(*values, "s", {"blob": stem}, extra)


CALL = "import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).probe; f.restype = ctypes.c_double; print(f(int(sys.argv[2])))"


def ck_first_call(width):
    """The first call of a real kernel's function in CK's libmha_bwd: bwd dot_do_o of head width WIDTH."""
    library, d = inputs.ck_linked("bwd"), inputs.ck()
    cache = fresh(f"first-ck-{width}")

    def call():
        env = {"CK_JIT_CACHE_DIR": f"{cache}/cache", "CK_JIT_ARCH": inputs.CK_ARCH, "CK_JIT_QUIET": "1"}
        env["CK_JIT_PER_KERNEL"] = "0"  # the function launches nothing: its blob would be left at its host's side
        return float(said(*inputs.inside("python3", "-c", CALL, library, str(width)), env=env)[1])

    def ours(_):
        forget_kernels(f"{cache}/cache")
        inputs.log(f"first call of d{width}")
        return call()

    inputs.log(f"first call of d{width}, empty cache")
    without_headers = call()
    stem = os.path.basename(glob.glob(f"{cache}/cache/*.so")[0])[:-3]
    blob = next(r for r in inputs.records(f"{d}/work") if r["stem"] == stem)
    stock = inputs.inside(*stock_command(blob, f"{cache}/stock.so"))
    values = in_turn(rounds(3), ours, lambda _: run(*stock))
    return Result(
        *values, "s", {"blob": stem, "arch": inputs.CK_ARCH}, {"seconds with an empty cache": without_headers}
    )


def first_call_d64():
    """bwd dot_do_o d64 of CK, first call | hipcc -shared of its blob, HIP 7.2.4"""
    return ck_first_call(64)


def first_call_d128():
    """bwd dot_do_o d128 of CK, first call | hipcc -shared of its blob, HIP 7.2.4"""
    return ck_first_call(128)


# ---- cached ----


def first_cached():
    """first call in a new process, kernel cached | dlopen and dlsym of the same file by a bare C program"""
    d = fresh("first-cached")
    library, _ = load.call_pair(d, [])
    env = {"CK_JIT_CACHE_DIR": f"{d}/cache"}
    program = helper("load", d, "-ldl")
    run(program, "1", library, "us_of_first()", env=env)  # compiles
    cached = glob.glob(f"{d}/cache/*.so")
    if len(cached) != 1:
        raise Failure(f"expected one compiled kernel in {d}/cache, found {cached}")
    symbol = next(
        line.split()[2] for line in said("nm", "-D", cached[0])[1].splitlines() if "kernel_" in line and " T " in line
    )

    values = in_turn(
        load.SETS,
        lambda _: cached_call(program, library, env),
        lambda _: load.loads(program, cached[0], [symbol]) / 1e3,
    )
    return Result(*values, "ms", {"bytes": os.path.getsize(cached[0]), "starts": load.SETS * load.ROUNDS})


def cached_call(program, library, env):
    """Median milliseconds of the first call, of load.ROUNDS processes, each with its kernel cached."""
    text = said(program, str(load.ROUNDS), library, "us_of_first()", env={**env, "CK_JIT_HIPCC": "/nonexistent"})[1]
    return statistics.median(map(float, text.split())) / 1e3


def first_cached_bundle():
    """first call in a new process, kernel cached, of a library with a bundle | without one"""
    d = fresh("first-cached-bundle")
    program = helper("load", d, "-ldl")
    pair = []
    for name, keep in (("with", "keep=bundle\n"), ("without", "")):
        os.mkdir(f"{d}/{name}")
        library, _ = load.call_pair(f"{d}/{name}", [], keep)
        env = {"CK_JIT_CACHE_DIR": f"{d}/{name}/cache"}
        run(program, "1", library, "us_of_first()", env=env)  # compiles
        pair.append((library, env))
    values = in_turn(rounds(15), *(lambda _, p=p: cached_call(program, *p) for p in pair))
    return Result(*values, "ms", {"bytes": os.path.getsize(pair[0][0]), "starts": 15 * load.ROUNDS})


FIGURES = [
    Figure("first-call", first_call, [Limit("ratio", 0.45)]),
    Figure("first-call-d64", first_call_d64, [Limit("ratio", 0.45)], full=True),
    Figure("first-call-d128", first_call_d128, [Limit("ratio", 0.45)], full=True),
    Figure("first-cached", first_cached, [Limit("difference", 1)]),
    Figure("first-cached-bundle", first_cached_bundle, [Limit("ratio", 1.05)]),
]
