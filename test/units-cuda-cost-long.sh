#!/bin/bash
# No form of a CUDA unit costs the build more than nvcc alone, but for 3 %: processor time of
# compiles, and of three whole builds, nvcc and ckjit in turn, each three times, the least of each. The
# hashing of the toolchain and the compile of the runtime, both once for a home, are left out: a first
# build does them. All run on one processor: ckjit starts cudafe++ and cicc side by side,
# and where two processors are one core each takes more processor time for the same work. Ahead of
# what else runs, if the user may.
# tier: long
# serial
# seconds: 600
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
need python3
[ -e "$cuda/include/cccl/thrust/sort.h" ] || skip "$cuda has no Thrust in include/cccl"
cpu='import os, subprocess, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except PermissionError:
    pass
r = subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL)
t = os.times()
print(round(1000 * (t.children_user + t.children_system)))
sys.exit(r.returncode)'
flags='-std=c++17 -O2 -Xcompiler -fPIC -w'
# compare NAME SCRIPT WORDS…: SCRIPT, with these words, makes NAME; it runs with each nvcc in turn
compare() {
  name=$1 script=$2 best_nvcc='' best_ours=''
  shift 2
  as_build bash -ec "$script" build "$@" || fail "$name: $(cat err)"
  for _ in 1 2 3; do
    n=$(PATH=$cuda/bin:$PATH python3 -c "$cpu" bash -ec "$script" build "$@") || fail "$name: nvcc"
    rm -rf "$T/home/work/$name"
    o=$(as_build python3 -c "$cpu" bash -ec "$script" build "$@") || fail "$name: $(cat err)"
    [ "$best_nvcc" ] && [ "$best_nvcc" -le "$n" ] || best_nvcc=$n
    [ "$best_ours" ] && [ "$best_ours" -le "$o" ] || best_ours=$o
  done
  echo "$name $*: $best_ours ms, nvcc $best_nvcc ms, $(python3 -c "print(round($best_ours / $best_nvcc, 2))")"
  [ $((best_ours * 100)) -le $((best_nvcc * 103)) ] || bad="$bad $name"
}
# costs NAME WORDS…: its compile
costs() {
  name=$1
  shift
  # shellcheck disable=SC2086 # words
  compare "$name" "nvcc \"\$@\" -c $name.cu -o $name.o" $flags "$@"
}
# builds NAME UNITS WORDS…: compiles of these units and the link of libNAME.so
builds() {
  name=lib$1 units=$2
  shift 2
  # shellcheck disable=SC2086 # words
  compare "$name" "for u in $units; do nvcc \"\$@\" -c \$u.cu -o $name-\$u.o; done; nvcc \"\$@\" -shared $name-*.o -o $name.so" $flags "$@"
}
bad=
one='-gencode=arch=compute_90,code=sm_90'
cat >sorted.cu <<'C'
#include <thrust/sort.h>
#include <thrust/execution_policy.h>
void sort(float *p, int n) { thrust::sort(thrust::device, p, p + n); }
C
costs sorted $one
cat >closure.cu <<'C'
#include <thrust/transform_reduce.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <cuda/functional>
float sum(const float *p, int n) {
  auto square = cuda::proclaim_return_type<float>([=] __device__(int i) { return p[i] * p[i]; });
  thrust::counting_iterator<int> first(0);
  return thrust::transform_reduce(thrust::device, first, first + n, square, 0.f,
                                  thrust::plus<float>());
}
C
costs closure $one --expt-extended-lambda -isystem "$cuda/include"
cat >uncertain.cu <<'C'
#include <cub/cub.cuh>
template <class T, void (*F)(T *)> __global__ void k(T *p) { typedef cub::BlockReduce<T, 128> S; __shared__ typename S::TempStorage t; T x = S(t).Sum(*p); F(p); *p += x; }
template <class T> __host__ __device__ void one(T *p) { *p = 1; }
void f(int *p) { k<int, one<int>><<<1, 128>>>(p); }
C
costs uncertain $one
cat >sorts.cu <<'C'
#include <cub/cub.cuh>
template <int N> __global__ void k(int *p) { typedef cub::BlockRadixSort<int, 128, N> S; __shared__ typename S::TempStorage t; int v[N]; for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * N + i]; S(t).Sort(v); for (int i = 0; i < N; i++) p[threadIdx.x * N + i] = v[i]; }
void heavy(int *p) { k<11><<<1, 128>>>(p); k<12><<<1, 128>>>(p); k<13><<<1, 128>>>(p); k<14><<<1, 128>>>(p); }
C
costs sorts $one
cat >random.cu <<'C'
#include <curand_kernel.h>
__global__ void seed(curandState *s) { curand_init(1, threadIdx.x, 0, &s[threadIdx.x]); }
void init(curandState *s) { seed<<<1, 32>>>(s); }
C
costs random $one
{ cat random.cu; echo '__device__ int total; __global__ void sum(int *p) { p[0] = total++; }'; } >total.cu
cat >dependent.cu <<'C'
struct codec { using word = int; };
template <class C> __global__ void encode(typename C::word *p, C) { p[threadIdx.x]++; }
void run(int *p) { encode<<<1, 32>>>(p, codec()); }
C
costs dependent $one
cat >table.cu <<'C'
static __device__ __constant__ float table[4] = {1, 2, 3, 5};
template <int N> __global__ void a(float *p) { p[threadIdx.x] *= N * table[p[0] > 0 ? 1 : 2]; }
template <int N> __global__ void b(float *p) { p[threadIdx.x] += N; }
void go(float *p) { a<1><<<1, 32>>>(p); a<2><<<1, 32>>>(p); b<1><<<1, 32>>>(p); b<2><<<1, 32>>>(p); }
C
costs table $one

# whole builds
cat >least.cu <<'C'
__global__ void k(int *p) { *p = 1; }
void least(int *p) { k<<<1, 1>>>(p); }
C
builds least least $one
builds rdc 'sorts total' $one -rdc=true
for n in 1 2 3; do
  cat >f$n.cu <<C
#include <nvtx3/nvToolsExt.h>
template <int N> int f(int *p);
template <int N> __global__ void k(int *p) { p[threadIdx.x] += N; }
template <> int f<$n>(int *p) { nvtxRangePushA("f"); k<$n><<<1, 32>>>(p); nvtxRangePop(); return cudaGetLastError(); }
C
done
cat >api.cu <<'C'
#include <nvtx3/nvToolsExt.h>
template <int N> int f(int *p);
__global__ void other(int *p) { *p = 0; }
int run(int *p) { nvtxRangePushA("run"); other<<<1, 1>>>(p); nvtxRangePop(); return f<1>(p) + f<2>(p) + f<3>(p); }
C
builds nvtx 'f1 f2 f3 api' $one -isystem "$cuda/include"
[ ! "$bad" ] || fail "cost more than nvcc:$bad"
