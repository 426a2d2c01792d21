"""Functions of a HIP blob, called of a blob that is not compiled: those that launch nothing without the kernels, as by default, and with them
(CK_JIT_PER_KERNEL=0); and one that launches, by default, and by a job that knows of no difference.

A first call of both kinds is measured in processor time: the passes run side by side, and other work on the machine
would change how far."""

import glob
import os
import resource
import shutil
import statistics

import common
import first
import inputs
from common import Figure, Limit, Result, fresh, in_turn, rounds, run, said

WHOLE = {"CK_JIT_PER_KERNEL": "0"}


def processor(*command, env):
    """The processor seconds of COMMAND and of all that it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said(*command, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def compare_calls(cache, command, count, inputs_of):
    """COMMAND, which calls such a function, alone | with the whole blob; its precompiled headers are in CACHE. And what a row has besides:
    how many entries of functions alone were made, and the ratio of the two without the rest of COMMAND, a process that compiles nothing."""

    made, rest = [], []

    def call(env, cold=True):
        if cold:
            first.forget_kernels(cache)
            first.forget_kernels(f"{cache}/.host")
        return processor(*command, env={"CK_JIT_CACHE_DIR": cache, "CK_JIT_WARM": "0", "CK_JIT_ARCH": inputs.ARCH, **inputs_of, **env})

    def alone(_):
        seconds = call({})
        made.append(len(glob.glob(f"{cache}/.host/*.so")))
        rest.append(call({}, cold=False))
        return seconds

    call(WHOLE)
    values = in_turn(rounds(count), alone, lambda _: call(WHOLE))
    ours, against = map(statistics.median, values)
    above = (ours - statistics.median(rest)) / (against - statistics.median(rest))
    return values, {"entries of functions": made[-1], "ratio of what is compiled": above}


def program(directory, name):
    """The program NAME, which calls the library of that name in DIRECTORY."""
    with open(f"{directory}/main.cpp", "w") as f:
        f.write("int called(int n); int main(int n, char **) { return called(n); }\n")
    words = [f"-L{directory}", f"-l{name}", f"-Wl,-rpath,{directory}", "-Wl,--allow-shlib-undefined"]
    run("g++", f"{directory}/main.cpp", "-o", f"{directory}/{name}", *words)


# ---- one function ----

PROBE = """#include "fmha_bwd.hpp"
#include <cstdio>
int called(int) {
  return fmha_bwd_dot_do_o_get_name_<fmha_bwd_dot_do_o_traits_<64, FmhaBwdFp32, false, false, false>>().empty();
}
"""


def alone_mini():
    """mini-aiter's bwd dot_do_o, the first call is of get_name | of the whole blob, processor time"""
    d = fresh("alone-mini")
    ck = f"{inputs.EXAMPLE}/3rdparty/composable_kernel"
    run("python3", f"{ck}/example/ck_tile/01_fmha/generate.py", "-d", "bwd", "-o", f"{d}/gen", "-r", "8")
    with open(f"{d}/probe.cpp", "w") as f:
        f.write(PROBE)
    source = sorted(n for n in os.listdir(f"{d}/gen") if n.startswith("fmha_bwd_dot_do_o_d64_fp32_batch"))[0]
    os.makedirs(f"{d}/include/ck")  # which aiter's build fills in
    shutil.copy(f"{inputs.EXAMPLE}/3rdparty/ck_helper/config.h", f"{d}/include/ck/config.h")
    flags = [f"-I{d}/include", f"-I{ck}/include", f"-I{ck}/example/ck_tile/01_fmha", "-std=c++17", "-O3", "-fPIC"]
    env = inputs.home(d)
    for text, made in ((f"gen/{source}", "blob"), ("probe.cpp", "probe")):
        hip = ["-x", "hip", f"--offload-arch={inputs.ARCH}"]
        run("hipcc", *hip, *flags, "-c", f"{d}/{text}", "-o", f"{d}/{made}.o", env=env)
    run("hipcc", "-shared", f"{d}/blob.o", f"{d}/probe.o", "-o", f"{d}/libprobe.so", env=env)
    program(d, "probe")
    values, made = compare_calls(f"{d}/cache", [f"{d}/probe"], 5, {})
    return Result(*values, "s", {"blob": source}, made)


def alone_d64():
    """CK's bwd dot_do_o d64, the first call is of get_name | of the whole blob, processor time, HIP 7.2.4"""
    library = inputs.ck_linked("bwd")
    cache = fresh("alone-ck")
    command = inputs.inside("python3", "-c", first.CALL, library, "64")
    values, made = compare_calls(f"{cache}/cache", command, 3, {"CK_JIT_ARCH": inputs.CK_ARCH})
    return Result(*values, "s", {"arch": inputs.CK_ARCH}, made)


# ---- a table ----

ROW = """#include <hip/hip_runtime.h>
#include "row.hpp"
template <int M> struct body {{ static __device__ float go(float x) {{ return body<M - 1>::go(x * 1.5f + sinf(x)) + cosf(x); }} }};
template <> struct body<0> {{ static __device__ float go(float x) {{ return x; }} }};
template <int M> __global__ void kernel(int *p) {{ p[threadIdx.x] = (int)body<25>::go(p[threadIdx.x]); }}
template <> int call_<{0}>(int *p) {{ kernel<0><<<1, 64>>>(p); return {0}; }}
template <> int align_<{0}>(int arch) {{ return arch == 90 ? {0} : 1; }}
"""
ROWS_API = """#include "row.hpp"
#include <cstdio>
#include <cstdlib>
#include <utility>
struct row {{ int (*call)(int *), align; }};
template <int... N> static int ask(std::integer_sequence<int, N...>) {{
  static const row table[] = {{{{call_<N>, align_<N>(90)}}...}};
  int sum = 0;
  for (const row &r : table) sum += r.align;
  return sum;
}}
int called(int n) {{
  if (n > 1) return call_<0>(nullptr) != 0;
  return ask(std::make_integer_sequence<int, {0}>()) != {0} * ({0} - 1) / 2;
}}
"""


def table(name, rows):
    """A directory with a program, rows, that asks each of ROWS blobs; or, with an argument, has the first one launch."""
    d = fresh(name)
    with open(f"{d}/row.hpp", "w") as f:
        f.write("template <int N> int call_(int *p);\ntemplate <int N> int align_(int arch);\n")
    for i in range(rows):
        with open(f"{d}/row_{i}.cu", "w") as f:
            f.write(ROW.format(i))
    with open(f"{d}/api.cpp", "w") as f:
        f.write(ROWS_API.format(rows))
    with open(f"{d}/build.ninja", "w") as f:
        f.write(f"rule cc\n  command = hipcc -std=c++17 -O1 -fPIC --offload-arch={inputs.ARCH} -c $in -o $out\n")
        f.write("rule link\n  command = hipcc -shared @$out.rsp -o $out\n  rspfile = $out.rsp\n  rspfile_content = $in\n")
        objects = [f"row_{i}.o" for i in range(rows)]
        for o in objects:
            f.write(f"build {o}: cc {o[:-2]}.cu\n")
        f.write(f"build api.o: cc api.cpp\nbuild librows.so: link {' '.join(objects)} api.o\n")
    run("ninja", "-C", d, env=inputs.home(d))
    program(d, "rows")
    return d


def alone_rows():
    """a table asks a function of the host of each of its rows, a blob each, without the kernels | with them, processor time a row"""
    rows = 1000 if common.FULL else 8
    d = table("alone-rows", rows)
    values, made = compare_calls(f"{d}/cache", [f"{d}/rows"], 1, {})
    return Result(*[[v / rows for v in side] for side in values], "s", {"rows": rows}, made)


def launch_first():
    """the first call of a function that launches, processor time | with CK_JIT_PER_KERNEL=0"""
    d = table("launch-first", 1)
    values, made = compare_calls(f"{d}/cache", [f"{d}/rows", "launch"], 5, {})
    return Result(*values, "s", {"steps of the kernel": 25}, made)


FIGURES = [
    Figure("alone-mini", alone_mini),
    Figure("alone-rows", alone_rows, [Limit("ratio", 0.2)]),
    Figure("launch-first", launch_first, [Limit("ratio", 1.15)]),
    Figure("alone-d64", alone_d64, [Limit("ratio", 0.2)], full=True),
]
