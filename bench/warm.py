"""What the record of use, by which a job compiles ahead of its calls after an upgrade, costs a job that finds its kernels."""

import os
import statistics

import load
from common import Figure, Limit, Result, fresh, helper, in_turn, said


def recorded(directory):
    """A cache with an entry of load.call_pair's kernel and a full record; its environment."""
    library, _ = load.call_pair(directory, [])
    env = {"CK_JIT_CACHE_DIR": f"{directory}/cache"}
    program = helper("load", directory, "-ldl")
    said(program, "1", library, "us_of_first()", env={**env, "CK_JIT_WARM": "1"})
    with open(f"{directory}/cache/.used/{os.path.basename(library)}", "a") as f:
        f.writelines(f"1\t1790000000000\t5\tkernel_{i}\n" for i in range(128))
    return program, library, {**env, "CK_JIT_HIPCC": "/nonexistent"}


def recorded_first():
    """first call in a new process, kernel cached, 128 kernels recorded | CK_JIT_WARM=0"""
    program, library, env = recorded(fresh("warm-first"))

    def first(warm):
        text = said(program, str(load.ROUNDS), library, "us_of_first()", env={**env, "CK_JIT_WARM": warm})[1]
        return statistics.median(map(float, text.split()))

    values = in_turn(3 * load.SETS, lambda _: first("1"), lambda _: first("0"))
    return Result(*values, "us", {"starts": 3 * load.SETS * load.ROUNDS})


FIGURES = [
    Figure("recorded-first", recorded_first, [Limit("ratio", 1.1)]),
]
