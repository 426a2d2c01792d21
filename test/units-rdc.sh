#!/bin/bash
# Lazy units of HIP with $rdc: kernels that call device functions of other units. The library's device link is not made; a first launch
# compiles the units that the kernel reaches, each once for all kernels, and links them. An edited unit is one compile.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
rdc="-fgpu-rdc -B/usr/lib/llvm-15/bin"
units_home
cat >a.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int twice(int);
__device__ int thrice(int);
template <int N> __global__ void times(int *p) { p[0] = twice(p[0]) * N; }
static __global__ void other(int *p) { p[0] = thrice(p[0]); }
extern "C" __attribute__((visibility("default"))) int a(int which, int *p) {
  if (which == 0) times<3><<<1, 1>>>(p);
  if (which == 1) other<<<1, 1>>>(p);
  if (which == 2) times<4><<<1, 1>>>(p);
  return hipGetLastError();
}
C
cat >twice.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int plus(int a, int b);
__device__ __attribute__((noinline)) int twice(int a) { return plus(a, a); }
C
cat >c.hip <<'C'
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) int thrice(int a) { return a * 3; }
__device__ __attribute__((noinline)) int plus(int a, int b) { return a + b; }
__global__ void thirds(int *p) { p[0] = thrice(p[0]) / 9; }
extern "C" __attribute__((visibility("default"))) int c(int *p) { thirds<<<1, 1>>>(p); return hipGetLastError(); }
C
compile() {
  for u; do
    as_build hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
  done
}
link() {
  as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o librdc.so a.o twice.o c.o || fail "link: $(cat err)"
}
CK_JIT_VERBOSE=1 compile a twice c
cat err
link
cat err
has 'the summary' 'ckjit-link: librdc.so: 3 ordinary units, lazy; ' err
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
run ./main ./librdc.so a0 >out 2>said || fail "first launch: $(cat out said)"
cat out said log
ls cache
run ./main ./librdc.so a1 a2 c0 >out 2>said || fail "first launch: $(cat out said)"
cat out said log
ls cache
