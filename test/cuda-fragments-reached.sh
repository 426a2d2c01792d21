#!/bin/bash
# A kernel of CUDA with -rdc=true is linked with what it reaches itself, by calls, by the address of a function, by a constant table: what another kernel of its unit
# needs, or another function of a unit that it has, is not compiled. What a table names is needed by all kernels of its unit. Memory whose size the launch says, `extern __shared__`, is no need. A variable
# behind what is reached makes the link nvcc's.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
cat >k.cu <<'C'
#include <cstdlib>
__device__ int near(int);
__device__ int far(int);
__device__ int listed(int);
__device__ int pointed(int);
typedef int (*function)(int);
namespace launch { extern __shared__ int memory[]; }
static __device__ const function table[] = {near, listed};
static __device__ int through(int x) { return near(x) + 1; }
template <class T> __device__ int instance(T x) { return far(x); }
__global__ void calls(int *p) { launch::memory[threadIdx.x] = p[1]; p[0] = through(launch::memory[0]); }
__global__ void calls_far(int *p) { p[0] = instance<int>(p[1]); }
__global__ void looks_up(int *p) { p[0] = table[p[1]](p[2]); }
__global__ void chooses(int *p) { p[0] = (p[1] > 3 && p[2] > 3 ? near : listed)(p[3]); }
__global__ void points(int *p) { function volatile f = pointed; p[0] = f(p[1]); }
extern "C" int run() {
  int *p = nullptr, n = getenv("KERNEL") ? atoi(getenv("KERNEL")) : 0;
  void (*const kernels[])(int *) = {calls, calls_far, looks_up, points, chooses};
  kernels[n]<<<1, 1>>>(p);
  return cudaGetLastError();
}
C
cat >near.cu <<'C'
__device__ int behind(int);
namespace launch { extern __shared__ int memory[]; }
__device__ int near(int x) { return x + launch::memory[1]; }
__device__ int beside(int x) { return behind(x); }
C
echo '__device__ int behind(int x) { return x + 2; }' >behind.cu
echo '__device__ int beside(int); __device__ int far(int x) { return beside(x) + 3; }' >far.cu
echo '__device__ int listed(int x) { return x + 4; }' >listed.cu
echo '__device__ int pointed(int x) { return x + 5; }' >pointed.cu
loading_main
# The library, with these units compiled anew, through the home
library() {
  for u; do
    as_build nvcc -rdc=true -std=c++17 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -c "$u.cu" -o "$u.o" || fail "$u: $(cat err)"
  done
  as_build nvcc -shared -gencode arch=compute_90,code=sm_90 k.o near.o behind.o far.o listed.o pointed.o -o lib.so -cudart=shared -Lcudart || fail "link: $(cat err)"
}
library k near behind far listed pointed
has 'the summary' '6 ordinary units, lazy' err
stems() { find cache -name '*.so' -exec sh -c 'readelf -SW "$1" | grep -q "\.ckjit\.ltoir" && basename "$1" | sed "s/[-.].*//"' - {} \; | sort | tr '\n' ' '; }
# Launch kernel N into an empty cache: the units that are compiled are these
launch() {
  rm -rf cache trace
  CK_JIT_TRACE=$T/trace KERNEL=$1 run ./main >out 2>said || fail "kernel $1: $(cat out said)"
  is "kernel $1" 0 "$(cat out)"
  is "the units of kernel $1" "$2" "$(stems)"
  is "links of kernel $1, with those that fail" 1 "$(grep -c '"device link"' trace)"
  is "links of kernel $1" 1 "$(find cache/.fragments -name '*.linked' | wc -l)"
}
launch 0 'k listed near ' # what the table names has to be there, whoever uses the table
launch 1 'behind far k listed near '
launch 2 'k listed near '
launch 3 'k listed near pointed '
launch 4 'k listed near '

# a variable behind what it reaches is shared: the link is nvcc's
sed -i 's|return x + launch|static int n; return atomicAdd(\&n, 1) + x + launch|' near.cu
library near
has 'why' 'k.cu needs _Z4neari of near.cu, which has the device variable' err
