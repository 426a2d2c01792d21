"""Dispatch through rewritten dispatchers, against the stock ones: test/dispatch/real.py has the calls."""

import functools
import glob
import json
import os
import shutil

import inputs
import postbuild
from common import TOP, Figure, Limit, Result, Skip, fresh, run, said

REAL = f"{TOP}/test/dispatch/real.py"
ROWS = ["first", "middle", "last", "none"]


def result(text, source):
    """The figures of one dispatcher: the random calls, and for each row the median time."""
    found = json.loads(text.splitlines()[-1])
    extra = {}
    for name in ROWS:
        if name in found:
            ours, stock = (sorted(found[name][side])[len(found[name][side]) // 2] for side in ("ckjit", "stock"))
            extra[name] = ours / stock
            extra[f"{name} (row, ns, stock's ns)"] = f"{found[name]['row']}, {ours:.1f}, {stock:.1f}"
    values = found["random"]
    return Result(values["ckjit"], values["stock"], "ns", {"dispatcher": os.path.basename(source)}, extra)


# ---- mini-aiter, all variants ----


@functools.cache
def mini_all():
    """mini-aiter's fwd with all its variants, linked, none of them compiled: the directory of its build."""
    d = fresh("dispatch")
    run(
        "python3",
        f"{inputs.EXAMPLE}/3rdparty/composable_kernel/example/ck_tile/01_fmha/generate.py",
        *("-d", "fwd", "--receipt", "600", "-o", f"{d}/gen"),
        unset=["MINI_AITER_SMALL"],
    )
    os.makedirs(f"{d}/include/ck")
    open(f"{d}/include/ck/config.h", "w").close()  # its build makes one
    env = inputs.home(d)
    with open(f"{d}/build.ninja", "w") as f:
        f.write(f"rule cc\n  command = hipcc {' '.join(mini_flags(d))} -c $in -o $out\n")
        f.write("rule link\n  command = hipcc -shared $in -o $out\n")
        objects = []
        for source in sorted(glob.glob(f"{d}/gen/*")):
            objects.append(os.path.splitext(os.path.basename(source))[0] + ".o")
            f.write(f"build {objects[-1]}: cc {source}\n")
        f.write(f"build libmha_fwd.so: link {' '.join(objects)}\n")
    run("ninja", "-C", d, env=env)
    return d


def mini_flags(d):
    ck = f"{inputs.EXAMPLE}/3rdparty/composable_kernel"
    return [
        *("-DWITH_HIP", "-O3", "-fPIC", "-fvisibility=hidden", "-std=c++20", f"--offload-arch={inputs.ARCH}"),
        *("-DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3", "-fno-gpu-rdc", "-w", "-x", "hip"),
        *(f"-I{d}/include", f"-I{ck}/include", f"-I{ck}/example/ck_tile/01_fmha"),
    ]


def dispatch():
    """dispatch, random calls, mini-aiter's fwd | the stock dispatcher at -O3"""
    d = mini_all()
    source = glob.glob(f"{d}/gen/fmha_fwd_api.*")[0]
    shutil.rmtree(f"{d}/out", ignore_errors=True)
    os.mkdir(f"{d}/out")
    arguments = ["fwd", f"{d}/out", "--source", source, "--work", f"{d}/work/libmha_fwd"]
    run("python3", REAL, "build", *arguments, "--", "hipcc", "--offload-host-only", *mini_flags(d))
    return result(said("python3", REAL, "time", "fwd", f"{d}/out")[1], source)


# ---- CK ----


def ck_dispatch(family, stem, api):
    against = postbuild.stock(api)
    if not against:
        raise Skip(f"the stock dispatchers of {api} are not compiled: see post-{api}")
    inputs.ck_linked(api)
    d, out = inputs.ck(), fresh(f"dispatch-{family}")
    source = f"{d}/gen/{stem}.cpp"
    arguments = [family, out, "--source", source, "--work", f"{d}/work/libmha_{api}"]
    stock = ["--stock", f"{against['directory']}/{stem}.o"]
    compiler = ["hipcc", "--offload-host-only", *inputs.cc_flags(), "-w"]
    run(*inputs.inside("python3", REAL, "build", *arguments, *stock, "--", *compiler))
    run(*inputs.inside("python3", REAL, "compare", family, out, "40000"))
    return result(said(*inputs.inside("python3", REAL, "time", family, out))[1], source)


def dispatch_fwd():
    """dispatch, random calls, CK's fwd | the stock dispatcher at -O3"""
    return ck_dispatch("fwd", "fmha_fwd_api", "fwd")


def dispatch_splitkv():
    """dispatch, random calls, CK's fwd_splitkv | the stock dispatcher at -O3"""
    return ck_dispatch("splitkv", "fmha_fwd_splitkv_api", "fwd")


def dispatch_prefill():
    """dispatch, random calls, CK's batch_prefill | the stock dispatcher at -O3"""
    return ck_dispatch("prefill", "fmha_batch_prefill_api", "fwd")


def dispatch_bwd():
    """dispatch, random calls, CK's bwd | the stock dispatcher at -O3"""
    return ck_dispatch("bwd", "fmha_bwd_api", "bwd")


EACH = [Limit(name, 1) for name in ROWS]

FIGURES = [
    Figure("dispatch", dispatch, EACH),
    Figure("dispatch-fwd", dispatch_fwd, EACH, full=True),
    Figure("dispatch-splitkv", dispatch_splitkv, EACH, full=True),
    Figure("dispatch-prefill", dispatch_prefill, EACH, full=True),
    Figure("dispatch-bwd", dispatch_bwd, [Limit("ratio", 0.15), *EACH], full=True),
]
