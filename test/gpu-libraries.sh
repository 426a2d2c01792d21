#!/bin/bash
# On a real GPU, the forms of code in real libraries give the same results lazily and by the regular
# compiler: closures, names of a template's parameter and names that are not certain, tables that only
# kernels read and tables that the host or kernels write, managed variables, blobs. Of CUDA also the
# toolkit as a system directory, Thrust's kernels alone, cuRAND's tables with -rdc=true, a unit that
# nvcc compiles beside lazy ones, blobs that use NVTX. A second process compiles nothing.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
cat >main.cpp <<'C'
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
int main(int, char **v) {
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  for (v += 2; *v; v++) {
    int out[64] = {}, (*f)(int *) = (int (*)(int *))dlsym(h, *v);
    if (!f) return printf("no %s\n", *v), 1;
    printf("%s: %d:", *v, f(out));
    for (int i = 0; i < 64; i++) printf(" %d", out[i]);
    puts("");
  }
}
C
g++ main.cpp -o main -ldl
sources
cat >show.h <<'C'
#pragma once
#include "gpu.h"
// run(LAUNCH): what the launch writes to 64 values, and the error
template <class L> int run(int *out, L launch) {
  int *p;
  if (cudaMalloc(&p, 256) || cudaMemset(p, 0, 256)) return -1;
  launch(p);
  cudaError_t e = cudaGetLastError();
  if (!e) e = cudaMemcpy(out, p, 256, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return e;
}
C
cat >closure.cu <<'C'
#include "show.h"
template <class F> __global__ void each(F f, int *p) { p[threadIdx.x] = f(threadIdx.x); }
static void first(int *p, int n) { each<<<1, 64>>>([=] __device__ (int x) { return x + n; }, p); }
static void second(int *p, int n) { each<<<1, 64>>>([n] __host__ __device__ (int x) { return x * n; }, p); }
extern "C" int closure(int *out) { return run(out, [](int *p) { first(p, 3); }); }
extern "C" int closure2(int *out) { return run(out, [](int *p) { second(p, 5); }); }
C
cat >dependent.cu <<'C'
#include "show.h"
struct codec { using word = int; template <class U> struct rebind { using other = U; }; };
template <class C> __global__ void encode(typename C::word *p, typename C::template rebind<C>::other, const typename C::word *q) { p[threadIdx.x] = 7; }
template <class... C> __global__ void all(typename C::word *... p) { ((p[threadIdx.x] += 2), ...); }
template <void (*F)(int *)> __global__ void with(int *p) { F(p + threadIdx.x); }
__host__ __device__ inline void one(int *p) { *p = 1; }
__host__ __device__ inline void two(int *p) { *p = 2; }
extern "C" int dependent(int *out) { return run(out, [](int *p) { encode<codec><<<1, 32>>>(p, codec(), p); all<codec, codec><<<1, 64>>>(p, p); }); }
#ifdef TWO
extern "C" int uncertain2(int *out) { return run(out, [](int *p) { with<two><<<1, 64>>>(p); }); }
#endif
extern "C" int uncertain(int *out) { return run(out, [](int *p) { with<one><<<1, 64>>>(p); }); }
C
sed 's/"C" int dependent/"C" int dependent2/; s/"C" int uncertain(/"C" int uncertain3(/; 1i #define TWO' dependent.cu >dependent2.cu
[ "$platform" = hip ] || cat >sort.cu <<'C'
#include <thrust/sort.h>
#include <thrust/sequence.h>
#include <thrust/scan.h>
#include <thrust/execution_policy.h>
#include "show.h"
extern "C" int sorted(int *out) { return run(out, [](int *p) { thrust::sequence(thrust::device, p, p + 64, 64, -1); thrust::sort(thrust::device, p, p + 64); }); }
extern "C" int scanned(int *out) { return run(out, [](int *p) { thrust::sequence(thrust::device, p, p + 64); thrust::inclusive_scan(thrust::device, p, p + 64, p); }); }
C
cat >table.cu <<'C'
#include "show.h"
static __device__ __constant__ int fixed[4] = {1, 2, 3, 5};
__device__ static int lut[4] = {10, 20, 30, 50};
static __constant__ int copied[4] = {1, 1, 1, 1};
static __device__ int counter = 5;
template <int N> __global__ void reads(int *p) { p[threadIdx.x] = N * fixed[threadIdx.x % 4] + lut[threadIdx.x % 3]; }
template <int N> __global__ void reads_copied(int *p) { p[threadIdx.x] = N * copied[threadIdx.x % 4]; }
template <int N> __global__ void counts(int *p) { if (threadIdx.x == 0) counter += N; __syncthreads(); p[threadIdx.x] = counter; }
extern "C" int table(int *out) { return run(out, [](int *p) { reads<1><<<1, 64>>>(p); }); }
extern "C" int table2(int *out) { return run(out, [](int *p) { reads<2><<<1, 64>>>(p); }); }
#ifndef LINKED
extern "C" int table_copied(int *out) {
  int values[4] = {4, 3, 2, 1};
  cudaMemcpyToSymbol(copied, values, sizeof values);
  return run(out, [](int *p) { reads_copied<3><<<1, 64>>>(p); });
}
#endif
extern "C" int count(int *out) { return run(out, [](int *p) { counts<1><<<1, 64>>>(p); counts<10><<<1, 64>>>(p); }); }
C
[ "$platform" = hip ] || cat >random.cu <<'C'
#include <curand_kernel.h>
#include "show.h"
__global__ void NAME(int *p) {
  curandState s;
  curand_init(1234, threadIdx.x, 5, &s);
  p[threadIdx.x] = curand(&s) % 1000 + SHIFT + (int)curand_poisson(&s, 3.);
}
extern "C" int RUN(int *out) { return run(out, [](int *p) { NAME<<<1, 64>>>(p); }); }
C
[ "$platform" = hip ] || sed '1i #define NAME seed\n#define RUN random1\n#define SHIFT 0' random.cu >random1.cu
cat >total.cu <<'C'
#include "show.h"
__device__ int total = 3;
__global__ void sum(int *p) { p[threadIdx.x] = total; }
__global__ void add() { total += 4; }
extern "C" int totals(int *out) { return run(out, [](int *p) { add<<<1, 1>>>(); sum<<<1, 64>>>(p); }); }
C
cat >managed.cu <<'C'
#include "show.h"
__managed__ int shared[64] = {1, 2, 3};
__global__ void increments() { shared[threadIdx.x] += threadIdx.x; }
__global__ void moves(int *p) { p[threadIdx.x] = 2 * shared[threadIdx.x]; }
extern "C" int managed(int *out) {
  shared[5] = 500;
  return run(out, [](int *p) {
    increments<<<1, 64>>>();
    if (cudaDeviceSynchronize()) return;
    shared[6] += 1000;
    moves<<<1, 64>>>(p);
  });
}
C
cat >f.h <<'C'
#include "gpu.h"
#ifdef __HIP__
#define nvtxRangePushA(name)
#define nvtxRangePop()
#else
#include <nvtx3/nvToolsExt.h>
#endif
template <int N> int f(int *p);
C
for n in 1 2; do
  cat >f$n.cu <<C
#include "f.h"
namespace { struct q { int size() { return cudaGetLastError(); } }; int last() { return q().size(); } }
template <int N> __global__ void k(int *p) { p[threadIdx.x] += N; }
template <> int f<$n>(int *p) { nvtxRangePushA("f"); k<$n><<<1, 32>>>(p); nvtxRangePop(); return last(); }
C
done
cat >api.cu <<'C'
#include "f.h"
#include "show.h"
int size() { return 3; }
extern "C" int ranges(int *out) { return run(out, [](int *p) { nvtxRangePushA("run"); f<1>(p); f<2>(p); nvtxRangePop(); }); }
C
# build DIRECTORY: its libraries, by the compiler of the path
build() (
  mkdir "$1" || exit
  [ "$platform" = hip ] || system="-isystem $cuda/include"
  compile() {
    # shellcheck disable=SC2086 # words
    gpucc ${system-} "${@:3}" -c "$2.cu" -o "$1/$2.o" || exit 1
  }
  for u in closure dependent dependent2 $sort table managed f1 f2 api; do
    compile "$1" "$u"
  done
  objects=("$1"/{closure,dependent,dependent2,table,managed}.o ${sort:+"$1/sort.o"})
  gpucc -shared "${objects[@]}" -o "$1/libplain.so" || exit 1
  gpucc -shared "$1"/{f1,f2,api}.o -o "$1/libblob.so" || exit 1
  [ "$platform" = cuda ] || exit 0
  for u in table random1 total; do compile "$1" $u -rdc=true -DLINKED; done
  gpucc -shared -rdc=true "$1"/{table,random1,total}.o -o "$1/librdc.so"
)
# calls DIRECTORY
plain='closure closure2 dependent dependent2 uncertain uncertain2 uncertain3 table table2 table_copied count count table'
calls() {
  # shellcheck disable=SC2086 # words
  on_gpu ./main "./$1/libplain.so" $plain $managed ${sort:+sorted scanned} && on_gpu ./main "./$1/libblob.so" ranges || return
  [ "$platform" = hip ] || on_gpu ./main "./$1/librdc.so" table table2 count random1 totals totals
}
sort=sort managed=managed
[ "$platform" = cuda ] || sort=
build stock || fail "the regular libraries"
lazy late 2>err || fail "the lazy libraries: $(cat err)"
"$B/bin/ckjit-build" explain home >explained
cat explained
has 'blobs' '2 kernels lazy' err
lacks 'units with -rdc=true' 'compiled without ckjit' err
# The emulator may not have memory that the host shares.
if ! calls stock >stock.out 2>stock.err && [ -n "${EMULATOR-}" ]; then
  echo "managed variables: not compared, the emulator does not run the regular library: $(tail -n 2 stock.err)"
  managed=
fi
calls stock >stock.out 2>stock.err || fail "the regular library: $(cat stock.out stock.err)"
# kernel by kernel, then whole
for per_kernel in 1 0; do
  rm -rf cache
  for on_miss in compile error; do
    CK_JIT_PER_KERNEL=$per_kernel CK_JIT_ON_MISS=$on_miss calls late >late.out 2>late.err ||
      fail "lazily, $on_miss, CK_JIT_PER_KERNEL=$per_kernel: $(cat late.out late.err)"
    diff stock.out late.out || { cat late.err; fail "$on_miss, CK_JIT_PER_KERNEL=$per_kernel: other results"; }
    echo "$on_miss, CK_JIT_PER_KERNEL=$per_kernel: $(wc -l <late.out) lines are the same"
  done
done
