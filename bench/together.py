"""Kernels that are needed together: a row of CK's backward calls three blobs, and all three are compiled from its first call on.

There is no GPU where this runs: a launch does nothing (helpers/nogpu.c), so that the row comes to its second kernel.
"""

import glob
import os
import shutil

import first
import inputs
from common import Failure, Figure, Limit, Result, fresh, in_turn, rounds, run, said

BLOBS = 3
CALL = (
    "import ctypes, sys; ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL); f = ctypes.CDLL(sys.argv[1]).probe_backward; "
    "f.restype = ctypes.c_double; print(f())"
)


def backward():
    """first backward of CK, d64 bf16, three blobs compiled | the slowest of them compiled, two there, HIP 7.2.4"""
    library, d = inputs.ck_linked("bwd"), fresh("together")
    cache, nogpu = f"{d}/cache", f"{d}/nogpu.so"
    run("cc", "-shared", "-fPIC", f"{first.HELPERS}/nogpu.c", "-o", nogpu)
    env = {"CK_JIT_CACHE_DIR": cache, "CK_JIT_ARCH": inputs.CK_ARCH, "CK_JIT_WARM": "1", "CK_JIT_QUIET": "1"}

    def call():
        seconds = float(said(*inputs.inside("python3", "-c", CALL, library, nogpu), env=env)[1])
        if seconds < 0 or len(glob.glob(f"{cache}/*.so")) != BLOBS:
            raise Failure(f"the call took {seconds} s and left {os.listdir(cache)}")
        return seconds

    def all_three(_):
        first.forget_kernels(cache)
        shutil.rmtree(f"{cache}/.used", ignore_errors=True)  # only the table says what is needed together
        return call()

    def alone(stem):
        os.unlink(f"{cache}/{stem}.so")
        return call()

    inputs.log("first backward, empty cache")
    call()
    each = {stem: alone(stem) for stem in [os.path.basename(f)[:-3] for f in glob.glob(f"{cache}/*.so")]}
    slowest = max(each, key=each.get)
    values = in_turn(rounds(3), all_three, lambda _: alone(slowest))
    return Result(*values, "s", {"slowest": slowest, "processors": os.cpu_count()}, {"one after another": sum(each.values())})


FIGURES = [Figure("first-backward", backward, [Limit("ratio", 1.15)], full=True)]
