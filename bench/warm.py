"""The record of use, by which a job compiles ahead of its calls after an upgrade: what that saves, and what the record costs a job that finds
its kernels."""

import glob
import os
import statistics

import load
from common import HELPERS, B, Failure, Figure, Limit, Result, fresh, helper, in_turn, rounds, run, said

KERNELS, SECONDS, JOBS = 10, 4, 4  # of the job after an upgrade; a compile takes that long, and no processor time


def recorded(directory):
    """A cache with an entry of load.call_pair's kernel and a full record; its environment."""
    library, _ = load.call_pair(directory, [])
    env = {"CK_JIT_CACHE_DIR": f"{directory}/cache"}
    program = helper("load", directory, "-ldl")
    said(program, "1", library, "us_of_first()", env={**env, "CK_JIT_WARM": "1"})
    with open(f"{directory}/cache/.used/{os.path.basename(library)}", "a") as f:
        f.writelines(f"1\t1790000000000\t5\tkernel_{i}\t\n" for i in range(128))
    return program, library, {**env, "CK_JIT_HIPCC": "/nonexistent"}


def recorded_first():
    """first call in a new process, kernel cached, 128 kernels recorded | CK_JIT_WARM=0"""
    program, library, env = recorded(fresh("warm-first"))

    def first(warm):
        text = said(program, str(load.ROUNDS), library, "us_of_first()", env={**env, "CK_JIT_WARM": warm})[1]
        return statistics.median(map(float, text.split()))

    values = in_turn(3 * load.SETS, lambda _: first("1"), lambda _: first("0"))
    return Result(*values, "us", {"starts": 3 * load.SETS * load.ROUNDS})


def upgrade():
    """a job calls ten kernels after an upgrade, four compilers at a time | one after another: CK_JIT_WARM=0"""
    d = fresh("upgrade")
    run(f"{HELPERS}/upgrade", d, str(KERNELS), str(1000 * SECONDS), env={"B": B})
    calls = [f"stub:_Z6value_ILi{i}EEii:1" for i in range(KERNELS)]
    settings = {"CK_JIT_JOBS": str(JOBS), "CK_JIT_JOB_MEMORY": "0", "CK_JIT_QUIET": "1", "CK_JIT_HIPCC": f"{d}/fast"}

    def job(warm):
        for entry in glob.glob(f"{d}/cache/*.so"):
            os.unlink(entry)
        env = {**settings, "CK_JIT_CACHE_DIR": f"{d}/cache", "CK_JIT_WARM": warm}
        seconds, text = said(f"{d}/api", f"open:{d}/lib/libkernels.so", *calls, env=env)
        if text.split() != [str(1000000 + 1000 * i + 1) for i in range(KERNELS)]:
            raise Failure(f"the calls said {text}")
        return seconds

    values = in_turn(rounds(1), lambda _: job("1"), lambda _: job("0"))
    return Result(*values, "s", {"kernels": KERNELS, "seconds of a compile": SECONDS, "at a time": JOBS})


FIGURES = [
    Figure("upgrade", upgrade, [Limit("ratio", 0.35)]),
    Figure("recorded-first", recorded_first, [Limit("ratio", 1.1)]),
]
