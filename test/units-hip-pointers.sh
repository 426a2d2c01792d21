#!/bin/bash
# A kernel of HIP that calls a function by an address, which another kernel has taken, has the registers and the stack of the regular
# build: it is compiled with its unit, and with -fgpu-rdc linked with all units of its library. Alone it would have too few.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
flags="-B/usr/lib/llvm-15/bin -O2 -fPIC --offload-arch=gfx90a"
cat >both.hip <<'C'
#include <hip/hip_runtime.h>
typedef float (*fn)(float);
#ifdef TAKES
static __device__ __attribute__((noinline)) float large(float x) {
  asm volatile("" ::: "v100");
  return x * 2;
}
__global__ void take(fn *out) { *out = large; }
extern "C" int t(fn *p) { take<<<1, 1>>>(p); return hipGetLastError(); }
#endif
#ifdef CALLS
__global__ void call(fn *g, float *p) { p[0] = (*g)(p[0]); }
__global__ void plain(float *p) { asm volatile("s_nop 0"); p[0] = 1; }
extern "C" int c(fn *g, float *p) { call<<<1, 1>>>(g, p); plain<<<1, 1>>>(p); return hipGetLastError(); }
#endif
C
# libraries DIR COMMAND…: libone.so of one unit, libtwo.so of two that are linked, in DIR
libraries() {
  mkdir "$1"
  cd "$1" || exit
  shift
  # shellcheck disable=SC2086 # a list of flags
  "$@" hipcc $flags -DTAKES -DCALLS -c ../both.hip -o one.o && "$@" hipcc $flags -shared one.o -o libone.so &&
    "$@" hipcc $flags -fgpu-rdc -DTAKES -c ../both.hip -o takes.o &&
    "$@" hipcc $flags -fgpu-rdc -DCALLS -c ../both.hip -o calls.o &&
    "$@" hipcc $flags -fgpu-rdc --hip-link -shared takes.o calls.o -o libtwo.so || fail "$(cat "$T/err")"
  cd ..
}
# what the descriptors of _Z4call… in FILEs say: sizes of memory, registers; an emptied body has no stack
says() { for f; do python3 "$here/unit/kernel_code.py" _Z4callPPFffEPf.kd "$f"; done | cut -c 1-32,97-128 | grep ^0000000000400000 | sort -u; }
libraries regular env
libraries lazy as_build
for l in one two; do
  export CK_JIT_MANIFEST="$T/home/work/lib$l/ck_jit_manifest.json" CK_JIT_CACHE_DIR="$T/cache-$l"
  "$B/bin/ckjit" list --kernels | grep -E 'call|plain' >names
  is "$l: kernels" 2 "$(wc -l <names)"
  "$B/bin/ckjit" build --blob-list names >out 2>&1 || fail "$l: $(cat out)"
  is "$l: the descriptor" "$(says regular/lib$l.so)" "$(says "cache-$l"/*.so)"
done
