"""Recording: the cost of a call of the wrapper, and of a whole build of such calls."""

import os
import shutil
import sys
import time

import inputs
from common import (
    HELPERS,
    B,
    Failure,
    Figure,
    Limit,
    Result,
    Skip,
    fresh,
    helper,
    in_turn,
    need,
    rounds,
    run,
    said,
    spawned,
)

STARTS = 1000


def nothing(directory, sample, *flags):
    """The do-nothing program that writes the object SAMPLE."""
    return helper("nothing", directory, "-static", f'-DOBJECT="{sample}"', *flags)


def with_output(args, output):
    args = list(args)
    args[args.index("-o") + 1] = output
    return args


def against_nothing(name, wrapper, blob, more=(), wrap=lambda *command: command):
    """A call of the wrapper for BLOB, with MORE arguments, against the do-nothing program's. WRAP makes the command that
    runs one in the root of the compiler."""
    d = fresh(name)
    env = {"CK_JIT_TMP_DIR": d}
    run(*wrap(wrapper, *with_output(blob["args"], f"{d}/sample"), *more), cwd=blob["cwd"], env=env)
    program, spawn = nothing(d, f"{d}/sample"), helper("spawn", d, "-static")
    args = [*with_output(blob["args"], f"{d}/x{{n}}.o"), *more]
    ours, against = spawned(wrap(spawn), STARTS, [wrapper, *args], [program, *args], cwd=blob["cwd"], env=env)
    size = os.path.getsize(blob["source"])
    shutil.rmtree(d)
    return Result(ours, against, "µs", {"source": os.path.basename(blob["source"]), "bytes": size, "args": len(args)})


def mini_blob():
    d, blobs = inputs.mini()
    return f"{d}/w/home/bin/hipcc", blobs[0]


def record():
    """recording a blob | a static C program that writes the same object"""
    return against_nothing("record", *mini_blob())


def record_depfile():
    """recording a blob with -MD | the same, no depfile"""
    return against_nothing("record-depfile", *mini_blob(), ["-MD"])


def ck_blob():
    d = inputs.ck()
    blobs = [r for r in inputs.records(f"{d}/work") if r["stem"].startswith("fmha_bwd_d128_bf16")]
    return f"{d}/home/bin/hipcc", {**blobs[0], "cwd": d}


def record_ck():
    """recording a blob of CK | a static C program that writes the same object"""
    return against_nothing("record-ck", *ck_blob(), wrap=inputs.inside)


def record_ck_depfile():
    """recording a blob of CK with -MD | the same, no depfile"""
    return against_nothing("record-ck-depfile", *ck_blob(), ["-MD"], inputs.inside)


def small_unit(name):
    """(directory, wrapper's command, compiler, arguments) of a small C++ blob; {n} in the output's name."""
    d = fresh(name)
    compiler = shutil.which("clang++") or shutil.which("c++")
    inputs.home(d)
    shutil.copy(f"{HELPERS}/call/kernel.h", d)
    shutil.copy(f"{HELPERS}/call/kernel_d64.cu", f"{d}/kernel.cpp")
    return d, f"{d}/home/bin/hipcc", compiler, ["-O2", "-fPIC", "-c", f"{d}/kernel.cpp", "-o", f"{d}/x{{n}}.o"]


def record_macro():
    """recording a unit of a header's macro | a static C program that writes the same object"""
    d = fresh("record-macro-unit")
    inputs.home(d)
    with open(f"{d}/kernel.h", "w") as f:
        f.write("#pragma once\ntemplate <class T, int N> void gemm(const T* in, int n);\n")
        f.write("#define INSTANTIATE(T, N) \\\n  template void gemm<T, N>(const T* in, int n);\n")
        f.writelines(f"template <int N> int helper_{i}(int n) {{ return n * N + {i}; }}\n" for i in range(300))
    with open(f"{d}/kernel.cpp", "w") as f:
        f.write('#include "kernel.h"\nusing A = float;\nconst int size = static_cast<int>(256);\nINSTANTIATE(A, size)\n')
    args = ["-O2", "-fPIC", f"-I{d}", "-c", f"{d}/kernel.cpp", "-o", f"{d}/x.o"]
    return against_nothing(
        "record-macro", f"{d}/home/bin/hipcc", {"source": f"{d}/kernel.cpp", "args": args, "cwd": d}
    )


def ccache_count(program, env, name):
    lines = said(program, "--print-stats", env=env)[1].splitlines()
    return int(dict(line.split("\t") for line in lines)[name])


def record_ccache():
    """recording a blob | a hit of ccache (direct mode) for the same compile"""
    need("ccache")
    d, wrapper, compiler, args = small_unit("record-ccache")
    ccache = shutil.which("ccache")
    env = {"CCACHE_DIR": f"{d}/ccache", "CCACHE_DIRECT": "1"}
    time.sleep(1.5)  # a header of this very second is too new for direct mode
    run(ccache, compiler, *with_output(args, f"{d}/first.o"), env=env)
    before = ccache_count(ccache, env, "direct_cache_hit")
    starts = STARTS // 5
    ours, against = spawned([helper("spawn", d)], starts, [wrapper, *args], [ccache, compiler, *args], env=env, batch=10)
    if ccache_count(ccache, env, "direct_cache_hit") - before != starts:
        raise Failure("ccache did not answer each call by a direct hit")
    version = said(ccache, "--version")[1].splitlines()[0]
    shutil.rmtree(d)
    return Result(
        ours, against, "µs", {"source": "helpers/call/kernel_d64.cu", "ccache": version, "compiler": compiler}
    )


def record_python():
    """recording a blob | an interceptor in Python that imports json, os, re, subprocess and sys"""
    d, wrapper, _, args = small_unit("record-python")
    run(wrapper, *with_output(args, f"{d}/sample"))
    python = [os.path.realpath(sys.executable), f"{HELPERS}/intercept.py"]
    env = {"OBJECT": f"{d}/sample"}
    ours, against = spawned([helper("spawn", d)], STARTS // 10, [wrapper, *args], [*python, *args], env=env, batch=10)
    shutil.rmtree(d)
    return Result(ours, against, "µs", {"python": sys.version.split()[0]})


# ---- whole builds ----

# Both sides generate, probe flags and start ninja. On both, calls that are neither recorded nor make an object go to the real
# hipcc, and links and host sources go to the do-nothing program. So the difference is the recording.
BUILD = """set -eu
cd "$1"
export JIT_WORKSPACE_DIR="$2/jit" ROCM_PATH="$2/home" ROCM_HOME="$2/home" HIP_PATH="$2/home" PATH="$2/home/bin:$PATH"
export CXX="$2/home/bin/ckjit-cxx" PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
for api in $3; do python3 op_tests/cpp/mha/compile.py --api $api; done
"""


def build_homes(directory, wrap):
    """Homes a (ckjit's) and b (the do-nothing program under the compilers' names) below DIRECTORY. WRAP makes the
    command that runs one in the root of the compiler."""
    real, path = said(*wrap("sh", "-c", 'command -v hipcc; echo "$PATH"'))[1].split()
    with open(f"{directory}/empty.c", "w") as f:
        f.write("")
    run("cc", "-c", f"{directory}/empty.c", "-o", f"{directory}/sample")
    program = nothing(directory, f"{directory}/sample", f'-DREAL="{real}"', f'-DREAL_PATH="{path}"')
    for side in "a", "b":
        os.makedirs(f"{directory}/{side}")
        run(
            *wrap(
                f"{B}/bin/ckjit-build",
                "home",
                "--dir",
                f"{directory}/{side}/home",
                "--work",
                f"{directory}/{side}/work",
            )
        )
    inputs.replace_link(f"{directory}/a", program)
    with open(f"{directory}/a/home/ckjit.conf") as f:
        lines = [line.strip().split("=", 1) for line in f]
    for name in [value for key, value in lines if key in ("compiler", "cxx")] + ["ckjit-cxx"]:
        if os.path.exists(f"{directory}/b/home/bin/{name}"):
            os.unlink(f"{directory}/b/home/bin/{name}")  # a link to the wrapper
            shutil.copy(program, f"{directory}/b/home/bin/{name}")
    return {"CK_JIT_HIPCC": program, "CK_JIT_CXX": program}


def build_pair(name, checkout, apis, archs, wrap, count):
    d = fresh(name)
    shutil.copytree(checkout, f"{d}/aiter", symlinks=True, ignore=shutil.ignore_patterns(".git", "*.co", "*.so"))
    compilers = build_homes(d, wrap)
    env = {**compilers, "GPU_ARCHS": archs, "PYTORCH_ROCM_ARCH": archs, "MAX_JOBS": str(os.cpu_count())}

    def build(side):
        for made in "jit", "work":
            shutil.rmtree(f"{d}/{side}/{made}", ignore_errors=True)
        inputs.log(f"{name}: {'ckjit' if side == 'a' else 'do-nothing'}")
        return run(*wrap("sh", "-c", BUILD, "sh", f"{d}/aiter", f"{d}/{side}", apis), env=env)

    ours, against = in_turn(rounds(count), lambda _: build("a"), lambda _: build("b"))
    blobs = len(inputs.records(f"{d}/a/work"))
    shutil.rmtree(d)
    if not blobs:
        raise Failure("no blob was recorded")
    return Result(ours, against, "s", {"apis": apis, "blobs": blobs})


def record_build():
    """recording mini-aiter, generation included | the same build with the do-nothing program as hipcc"""
    return build_pair("record-build", inputs.EXAMPLE, "fwd bwd", inputs.ARCH, lambda *command: command, 3)


def record_aiter():
    """recording aiter's bwd, generation included | the same build with the do-nothing program as hipcc"""
    checkout = os.environ.get("CKJIT_TEST_AITER")
    if not checkout:
        raise Skip("CKJIT_TEST_AITER names no aiter checkout")
    inputs.root()
    return build_pair("record-aiter", checkout, "bwd", inputs.CK_ARCH, inputs.inside, 1)


FIGURES = [
    Figure("record", record, [Limit("ratio", 2)]),
    Figure("record-depfile", record_depfile, [Limit("ratio", 2)]),
    Figure("record-macro", record_macro, [Limit("ratio", 2)]),
    Figure("record-ccache", record_ccache, [Limit("ratio", 0.5)]),
    Figure("record-python", record_python, [Limit("ratio", 1 / 25)]),
    Figure("record-build", record_build),
    Figure("record-ck", record_ck, [Limit("ratio", 2)], full=True),
    Figure("record-ck-depfile", record_ck_depfile, [Limit("ratio", 2)], full=True),
    Figure("record-aiter", record_aiter, [Limit("ratio", 1.08)], full=True),
]
