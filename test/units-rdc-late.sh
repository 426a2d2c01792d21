#!/bin/bash
# HIP units with -fgpu-rdc that are late: the build records them, and the link starts no compiler for them. A first call compiles its unit
# and the device side of the units that it reaches, and links its kernels.
# tier: all
# seconds: 40
# shellcheck disable=SC2086 # $rdc is a list of flags
. "${0%/*}/common.sh"
late=1
. "$here/unit/hip_fixture.sh"
rdc="-fgpu-rdc -B/usr/lib/llvm-15/bin"
units_home
cat >shared.hpp <<'C'
#pragma once
#include <hip/hip_runtime.h>
#define DEV __device__ __forceinline__
DEV int half(int a) { return a / 2; }
__device__ int twice(int);
__device__ int thrice(int);
namespace ns { template <class T> __device__ T plus(T a, T b); }
C
cat >a.hip <<'C'
#include "shared.hpp"
template <int N> __global__ void times(int *p) { p[0] = half(twice(p[0])) * N; }
static __global__ void other(int *p) { p[0] = thrice(p[0]); }
extern "C" __attribute__((visibility("default"))) int a(int which, int *p) {
  if (which == 0) times<3><<<1, 1>>>(p);
  if (which == 1) other<<<1, 1>>>(p);
  if (which == 2) times<4><<<1, 1>>>(p);
  return hipGetLastError();
}
C
cat >twice.hip <<'C'
#include "shared.hpp"
__device__ int twice(int a) { return ns::plus<int>(a, a); }
C
cat >c.hip <<'C'
#include "shared.hpp"
__device__ int thrice(int a) { return a * 3; }
namespace ns { template <> __device__ int plus<int>(int a, int b) { return a + b; } }
__global__ void thirds(int *p) { p[0] = thrice(p[0]) / 9; }
extern "C" __attribute__((visibility("default"))) int c(int *p) { thirds<<<1, 1>>>(p); return hipGetLastError(); }
C
cat >far.hip <<'C'
#include "shared.hpp"
__device__ int far(int a) { return a - 1; }
__global__ void further(int *p) { p[0] = far(p[0]); }
extern "C" __attribute__((visibility("default"))) int f(int *p) { further<<<1, 1>>>(p); return hipGetLastError(); }
C
compile() {
  for u; do
    as_build hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
  done
}
link() {
  as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o librdc.so a.o twice.o c.o far.o "$@" || fail "link: $(cat err)"
}
compile a twice c far
link
has 'the summary' '3 ordinary sources lazy, 0 ahead of time' err
cat err
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
int main(int, char **v) {
  int p[4] = {0, 7};
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  auto a = (int (*)(int, int *))dlsym(h, "a");
  auto c = (int (*)(int *))dlsym(h, "c");
  for (v += 2; *v; v++) {
    printf("%s %d\n", *v, **v == 'a' ? a(atoi(*v + 1), p) : c(p));
    fflush(stdout);
  }
}
C
g++ main.cpp -o main -ldl -Lhip -lamdhip64
export CK_JIT_VERBOSE=1
run ./main ./librdc.so a0 a1 a2 >out 2>said || fail "first call: $(cat out said)"
printf '%s\n' 'a0 0' 'a1 0' 'a2 0' | diff - out || fail "first call: $(cat said)"
cat said log; ls cache cache/.fragments
