#!/bin/sh
# What ckjit reads of a kernel's code (registers, spills, stack, shared memory, waves) is what the compiler says when it is asked:
# clang with -Rpass-analysis=kernel-resource-usage, ptxas with -v.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
need python3
cd "$T"
say="$B/test/unit/resources"
[ -x "$say" ] || skip "no $say: make units"

cat >k.hip <<'END2'
#ifdef __HIP__
#include <hip/hip_runtime.h>
#endif
extern "C" __global__ void plain(float *p) { p[threadIdx.x] *= 2; }
extern "C" __global__ void __launch_bounds__(256, 4) shared_(float *p) {
  __shared__ float s[300];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void stack_(float *p, int k) {
  float a[64];
  for (int i = 0; i < 64; i++) a[i] = p[i];
  a[k & 63] = 1;
  for (int i = 0; i < k; i++) p[i] = a[(i * k) & 63];
}
extern "C" __global__ void __launch_bounds__(1024, MANY) spilled(float *p) {
  float a[ROOM];
#pragma unroll
  for (int i = 0; i < ROOM; i++) a[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ROOM; j++) p[j * 1024 + threadIdx.x] = a[(j * 7 + 3) % ROOM] * a[j];
}
END2
cp k.hip k.cu

# hip ARCH…: the code object of clang, and its remarks
hip() {
  for arch; do
    hipcc --offload-arch="$arch" --offload-device-only -O3 -DMANY=1 -DROOM=140 -c k.hip -o k.bundle -Rpass-analysis=kernel-resource-usage 2>remarks || fail "hipcc: $(cat remarks)"
    python3 - remarks k.bundle k.co >wanted <<'END2'
import re, sys
code = open(sys.argv[2], "rb").read()
open(sys.argv[3], "wb").write(code[code.index(b"\x7fELF"):])
name = {"SGPRs": "scalar_registers", "VGPRs": "registers", "SGPRs Spill": "scalar_spills", "VGPRs Spill": "spills",
        "ScratchSize [bytes/lane]": "stack", "LDS Size [bytes/block]": "shared", "Occupancy [waves/SIMD]": "waves"}
for line in open(sys.argv[1]):
    m = re.search(r"remark: .*?(?:: )?\s*([A-Z][^:]*): (\S+) \[-Rpass", line)
    if m and m[1].endswith("Name"): kernel = m[2]
    elif m and m[1] in name: print(kernel, name[m[1]], m[2])
END2
    "$say" "$arch" k.co >told || fail "$arch: $(cat told)"
    compare "$arch" 28
    grep -q '^by .*clang version' told || fail "$(cat told)"
    grep -q '^shared_ .* max_threads=256 ' told || fail "$arch: $(cat told)"
  done
}
# compare WHAT N: each of at least N lines of wanted, KERNEL NAME NUMBER, is in told
compare() {
  [ "$(wc -l <wanted)" -ge "$2" ] || fail "$1: the compiler said: $(cat wanted)"
  while read -r kernel name number; do
    grep "^$kernel " told | grep -q " $name=$number\( \|$\)" || fail "$1: $kernel: $name is $number; told: $(grep "^$kernel " told)"
  done <wanted
}
hip gfx90a gfx1030

need_nvcc
for arch in 75 90 120; do
  case $arch in 75 | 120) many=1 ;; *) many=2 ;; esac
  "$cuda/bin/nvcc" -cubin -arch=sm_$arch -DMANY=$many -DROOM=80 -Xptxas -v k.cu -o k.cubin 2>said || fail "nvcc: $(cat said)"
  python3 - said >wanted <<'END2'
import re, sys
for line in open(sys.argv[1]):
    m = re.search(r"properties for (\S+)", line)
    if m: kernel = m[1]
    m = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", line)
    if m:
        print(kernel, "stack", m[1])
        if m[2] == "0": print(kernel, "spills", 0)
        else: spilled = True
    m = re.search(r"Used (\d+) registers", line)
    if m:
        print(kernel, "registers", m[1])
        shared = re.search(r"(\d+) bytes smem", line)
        print(kernel, "shared", shared[1] if shared else 0)
END2
  "$say" sm_$arch k.cubin >told || fail "sm_$arch: $(cat told)"
  compare sm_$arch 15
  grep -q '^by Cuda compilation tools, release' told || fail "$(cat told)"
  grep -q '^shared_ .* max_threads=256 ' told || fail "sm_$arch: $(cat told)"
  grep -q '^spilled .* spills=[1-9]' told || fail "sm_$arch: $(cat told)"
done
