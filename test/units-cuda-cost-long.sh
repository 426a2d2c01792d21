#!/bin/bash
# No form of a CUDA unit costs the build more than nvcc alone, but for 3 %: processor time of the
# compiles, nvcc and ckjit in turn, each three times, the least of each. What a home does once,
# hashing the toolchain and compiling the runtime, is left out: the first compile does the former,
# and no link is counted. Both run on one processor: ckjit starts cudafe++ and cicc side by side,
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
# costs NAME WORDS…: its compile
costs() {
  name=$1 best_nvcc='' best_ours=''
  shift
  words=(-std=c++17 -O2 -Xcompiler -fPIC -w "$@" -c "$name.cu" -o "$name.o")
  as_build nvcc "${words[@]}" || fail "$name: $(cat err)"
  for _ in 1 2 3; do
    n=$(python3 -c "$cpu" "$cuda/bin/nvcc" "${words[@]}") || fail "$name: nvcc"
    o=$(as_build python3 -c "$cpu" "$T/home/bin/nvcc" "${words[@]}") || fail "$name: $(cat err)"
    [ "$best_nvcc" ] && [ "$best_nvcc" -le "$n" ] || best_nvcc=$n
    [ "$best_ours" ] && [ "$best_ours" -le "$o" ] || best_ours=$o
  done
  echo "$name $*: $best_ours ms, nvcc $best_nvcc ms, $(python3 -c "print(round($best_ours / $best_nvcc, 2))")"
  [ $((best_ours * 100)) -le $((best_nvcc * 103)) ] || bad="$bad $name"
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
costs sorts $one -rdc=true
cat >random.cu <<'C'
#include <curand_kernel.h>
__global__ void seed(curandState *s) { curand_init(1, threadIdx.x, 0, &s[threadIdx.x]); }
void init(curandState *s) { seed<<<1, 32>>>(s); }
C
costs random $one
costs random $one -rdc=true
{ cat random.cu; echo '__device__ int total; __global__ void sum(int *p) { p[0] = total++; }'; } >total.cu
costs total $one -rdc=true
[ ! "$bad" ] || fail "cost more than nvcc:$bad"
