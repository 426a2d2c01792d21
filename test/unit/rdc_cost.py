"""rdc_cost.py BUILD DIR UNITS - a generated HIP library with -fgpu-rdc, of UNITS units with six kernels each, built without ckjit and
with it; in the form of CMSSW's: kernels of templates over a policy, and device functions of other units. A kernel of the first of ten
units reaches all ten. Says processor seconds, and one line `NAME RATIO` for each limit that the test has."""

import glob
import os
import shutil
import subprocess
import sys
import time

ARCHS = ["gfx90a", "gfx942", "gfx1030", "gfx1100"]
HEADER = """#pragma once
#include <hip/hip_runtime.h>
struct params { float a[8]; int n; };
template <int K> struct policy {
  static __device__ float apply(float x, const params &p) {
    float s = 0;
#pragma unroll
    for (int i = 0; i < 4 + K; i++) s += sinf(x * p.a[i % 8] + K) * expf(-x * i) + sqrtf(fabsf(x + i));
    return s;
  }
};
template <int K, class P> __device__ float block_sum(float x, const P &p) {
  __shared__ float part[256];
  part[threadIdx.x] = policy<K>::apply(x, p);
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  return part[0];
}
"""
UNIT = """#include "common.hpp"
{declare}
__device__ float stage_{i}(float x, const params &p) {{ return {next} + policy<{k}>::apply(x, p); }}
template <int K> __global__ void kernel_{i}(float *out, const float *in, params p) {{
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < p.n) out[at] = block_sum<K>(in[at], p) + stage_{i}(in[at], p);
}}
extern "C" int launch_{i}(int which, float *out, const float *in, params p) {{
  switch (which) {{
{cases}
  }}
  return hipGetLastError();
}}
"""


def write(d, n):
    with open(f"{d}/common.hpp", "w") as f:
        f.write(HEADER)
    for i in range(n):
        last = i % 10 == 9 or i == n - 1
        cases = "\n".join(f"    case {k}: kernel_{i}<{k}><<<1, 256>>>(out, in, p); break;" for k in range(6))
        declare = "" if last else f"__device__ float stage_{i + 1}(float, const params &);"
        nexts = "x" if last else f"stage_{i + 1}(x * 0.5f, p)"
        with open(f"{d}/u{i}.hip", "w") as f:
            f.write(UNIT.format(i=i, k=i % 5, declare=declare, next=nexts, cases=cases))


def cpu(*commands, env):
    """The processor seconds of these."""
    before, start = os.times(), time.time()
    for command in commands:
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stdout}")
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.time() - start, done.stdout


def build(d, n, env):
    archs = [f"--offload-arch={a}" for a in ARCHS]
    units = [["hipcc", "-O3", "-fPIC", "-fgpu-rdc", *archs, "-c", f"u{i}.hip", "-o", f"{d}/u{i}.o"] for i in range(n)]
    objects = [f"{d}/u{i}.o" for i in range(n)]
    link = ["hipcc", "-O3", "-fgpu-rdc", "--hip-link", *archs, "-shared", "-o", f"{d}/libunits.so", *objects]
    os.makedirs(d)
    return cpu(*units, env=env), cpu(link, env=env)


def say(what, seconds):
    print(f"{what}: {seconds[0]:.1f} CPU-seconds, {seconds[1]:.1f} elapsed", flush=True)


def main():
    b, d, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.chdir(d)
    env = {**os.environ, "HIP_PLATFORM": "amd", "CK_JIT_KFD_ROOT": f"{d}/none"}
    write(d, n)
    regular, link = build("regular", n, env)
    say("regular compiles", regular)
    say(f"regular link, {len(ARCHS)} architectures", link)
    exports = subprocess.run([f"{b}/bin/ckjit-build", "home", "--dir", f"{d}/home", "--units"], env=env, check=True, stdout=subprocess.PIPE, text=True)
    shell = subprocess.run(["bash", "-c", exports.stdout + "\nenv -0"], env=env, check=True, stdout=subprocess.PIPE)
    ours = dict(v.split("=", 1) for v in shell.stdout.decode().split("\0") if "=" in v)
    ours.update({"CK_JIT_SUMMARY": "1"})
    compiles, lazy = build("lazy", n, ours)
    say("lazy compiles", compiles)
    say("lazy link", lazy)
    if f"{n} ordinary sources lazy, 0 ahead of time" not in lazy[2]:
        sys.exit(lazy[2])

    # of one architecture, as a first call compiles: the kernels of a unit that reaches ten units, then those of others
    env.update({"CK_JIT_MANIFEST": f"{d}/home/work/libunits/ck_jit_manifest.json", "CK_JIT_CACHE_DIR": f"{d}/cache", "CK_JIT_ARCH": "gfx942"})
    first = []
    for name in ["u0", "u1", "u2"]:
        with open("list", "w") as f:
            f.write(name + "\n")
        first.append(cpu([f"{b}/bin/ckjit", "build", "--blob-list", "list"], env=env))
        say(f"first call of {name}", first[-1])
    parts = len(glob.glob(f"{d}/cache/.fragments/*.o"))
    if parts != min(n, 10) + 2:
        sys.exit(f"{parts} objects were made, expected those of {min(n, 10)} units, and two as entries")
    print(f"build {(compiles[0] + lazy[0]) / (regular[0] + link[0]):.3f}")
    print(f"first {first[0][0] / link[0]:.3f}")
    print(f"further {max(f[0] for f in first[1:]):.1f}")
    shutil.rmtree(f"{d}/regular")


main()
