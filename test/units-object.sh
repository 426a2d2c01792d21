#!/bin/bash
# The object that ckjit-unit makes is the real compiler's, but for the fat binary and what ckjit adds: instructions, data and symbols of a unit with
# template kernels, a static one, one of an unnamed namespace, lambdas, __constant__ and __device__ variables; its depfile as well. A library of it
# that is linked without ckjit does not come into being.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/object_fixture.sh"
need hipcc readelf objdump objcopy nm
need_hipcc
unset ROCM_PATH ROCM_HOME HIP_PATH CXX
export CK_JIT_UNITS=build
real=$(command -v hipcc)
hipcc() { "$T/h/bin/hipcc" "$@"; }
cd "$T"
"$B/bin/ckjit-build" home --dir "$T/h" --units >exports
mkdir src
echo '-fPIC "-DEXTRA=70 + 7"' >words
echo 'template <class T> __device__ T twice(T x) { return x + x; }' >src/part.h
cat >src/u.hip <<'C'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <string>
#include "part.h"
__constant__ float table[4];
__device__ int counter;
static __device__ int hidden;
static const int of_kernels_only = 3;
static int ordered = std::string("ordered").size();
namespace {
struct op {
  float k;
  __host__ __device__ float operator()(float x) const { return x * k + __LINE__; }
};
__global__ void unnamed(float *p) { p[threadIdx.x] = table[0] * of_kernels_only; }
} // namespace
static __global__ void internal(int *p) { *p = twice(counter + hidden); }
template <class T, class F> __global__ void apply(T *p, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto g = [=](T x) { return f(x); };
  if (i < n) p[i] = g(p[i]);
}
template __global__ void apply<double, op>(double *, int, op);
struct host {
  static __global__ void member(int *p) {
    extern __shared__ int s[];
    s[0] = 1;
    p[0] = s[0];
  }
};
template <int N> struct held {
  template <class U> static __global__ void __launch_bounds__(64, 2) member(U *p) { p[0] = N; }
};
#define KERNEL(n) \
  __global__ __launch_bounds__(256) void n(int *p) { p[0] = __LINE__; }
KERNEL(one)
KERNEL(two)
extern "C" __global__ void plain(int *, int) {}
template <class F> void run(float *p, int n, F f) { apply<<<dim3(n / 64), dim3(64)>>>(p, n, f); }
int go(float *p, int *q, int n) {
  float z = 3;
  run(p, n, op{2.f});
  run(p, n, [=] __device__(float x) { return x + z; });
  auto on_host = [&](int i) { return i + (int)z + __LINE__; };
  unnamed<<<1, 64>>>(p);
  internal<<<1, 1>>>(q);
  host::member<<<1, 1, 4>>>(q);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(held<4>::member<float>), dim3(1), dim3(1), 0, 0, p);
  void (*which)(int *) = n ? one : two;
  which<<<1, 1>>>(q);
  plain<<<1, 1>>>(q, 1);
  int h = on_host(ordered);
  (void)hipMemcpyToSymbol(HIP_SYMBOL(counter), &h, sizeof h);
  (void)hipMemcpyToSymbol(HIP_SYMBOL(hidden), &h, sizeof h);
  static int once = std::printf("%s\n", __FILE__);
#ifdef EXTRA
  once += EXTRA;
#endif
  return once + h;
}
C
export HIPCC_COMPILE_FLAGS_APPEND=
umask 027
for case in '-O3 -fPIC -Wall -Wextra -pedantic -Wno-cuda-compat src/u.hip' "-O1 -g -fPIC $T/src/u.hip" '-O2 -ffunction-sections -DNDEBUG -x hip src/u.hip' '-O2 @words src/u.hip'; do
  case $case in *@*) HIPCC_COMPILE_FLAGS_APPEND=-DNDEBUG ;; esac
  words="-std=c++17 --offload-arch=gfx90a -MD -MP -MF u.d -c $case"
  # shellcheck disable=SC2086
  "$real" $words -o u.o 2>stock.err || fail "stock: $(cat stock.err)"
  mv u.o stock.o
  mv u.d stock.d
  # shellcheck disable=SC2086
  CK_JIT_VERBOSE=1 hipcc $words -o u.o 2>err || fail "$case: $(cat err)"
  tail -n 1 h/work/manifest.json.ndjson | grep -q '"kind":"unit"' || fail "$case: $(cat err) $(tail -n 1 h/work/manifest.json.ndjson)"
  is "$case: permissions" "$(stat -c %a stock.o)" "$(stat -c %a u.o)"
  cmp stock.d u.d || fail "$case: another depfile: $(diff stock.d u.d)"
  facts stock.o >stock
  facts u.o >ours
  [ "$(wc -l <stock)" -gt 200 ] || fail "$case: nothing to compare: $(cat stock)"
  diff stock ours >difference || fail "$case: $(head -40 difference)"
  readelf -x .ckjit.unit u.o | grep -q 'CKJTUNIT' || fail "$case: its fat binary: $(readelf -x .ckjit.unit u.o)"
  readelf -SW u.o | lacks 'device code, to rocm-kpack, llvm-objdump and roc-obj-ls' 'hip_\{0,1\}fatbin' - -i
done

# what is registered as more than kernels and variables is the compiler's
printf '#include <hip/hip_runtime.h>\ntexture<float, 1, hipReadModeElementType> t;\n__global__ void k(float *p) { *p = tex1Dfetch(t, 0); }\n' >texture.hip
printf '#include <hip/hip_runtime.h>\n__managed__ int m;\n__global__ void k(float *p) { *p = m; }\n' >managed.hip
for what in texture managed; do
  CK_JIT_VERBOSE=1 hipcc --offload-arch=gfx90a -c $what.hip -o $what.o 2>err || fail "$what: $(cat err)"
  tail -n 1 h/work/manifest.json.ndjson | grep -q '"kind":"host"' || fail "$what: $(tail -n 1 h/work/manifest.json.ndjson)"
  grep -qi "not lazy: it .*$what" err || fail "$what: $(cat err)"
  lacks 'a lazy unit'\''s record' ckjit.record "$what.o"
done

# debug information names the source, as it was given
hipcc -std=c++17 --offload-arch=gfx90a -fPIC -g -c src/u.hip -o u.o
"$real" -std=c++17 --offload-arch=gfx90a -fPIC -g -c src/u.hip -o stock.o
for o in u stock; do
  readelf --debug-dump=info $o.o 2>/dev/null | grep -m 3 'DW_AT_\(name\|comp_dir\|producer\)' | sed 's/.*DW_AT/DW_AT/; s/0x[0-9a-f]*//' >$o.name
  readelf --debug-dump=decodedline $o.o >$o.lines 2>/dev/null
done
cmp stock.name u.name || fail "debug information: $(cat stock.name u.name)"
lacks 'a directory of ours' /.units/ u.lines
grep -q 'src/u.hip' u.name || fail "debug information: $(cat u.name)"

# a foreign link
"$real" --hip-link -shared -fPIC u.o -o libu.so 2>err && fail 'a library without the kernels was linked'
grep -q 'link_this_object_with_the_compiler_of_its_fake_home' err || fail "$(cat err)"
