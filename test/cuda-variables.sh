#!/bin/bash
# The host code of a CUDA blob writes and reads variables of the device: its kernels are compiled one by one all the same, those that use
# such a variable together with all others, and a copy reaches the one that they use.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
cat >b.cu <<'C'
__constant__ int table[4];
static __device__ int seen;
__global__ void look(int *p) { p[0] = table[p[1]] + seen; }
__global__ void plain(int *p, long n) { p[0] = n; }
int b(int which, int *p) {
  int values[4] = {1, 2, 3, 4}, back[4] = {};
  if (which == 0) plain<<<1, 1>>>(p, 77);
  if (which == 1) return cudaMemcpyToSymbol(table, values, sizeof values);
  if (which == 2) return cudaMemcpyFromSymbol(back, table, sizeof back) ? -1 : back[2];
  if (which == 3) look<<<1, 1>>>(p);
  return cudaGetLastError();
}
C
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
struct dim3 { unsigned x, y, z; };
typedef void kernel(void **, const dim3 *, const dim3 *);
extern "C" void cudart_kernel(const char *, kernel *);
int b(int, int *);
int main(int, char **v) {
  int p[2] = {0, 1};
  cudart_kernel("_Z5plain", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = (int)*(long *)a[1]; });
  cudart_kernel("_Z4look", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 5; });
  while (*++v) {
    int e = b(atoi(*v), p);
    printf("%d:%d ", e, p[0]);
  }
  puts("");
}
C
as_build nvcc -std=c++17 -O2 -Xcompiler -fPIC -arch=sm_90 -c b.cu -o b.o || fail "$(cat err)"
g++ -c main.cpp -o main.o
as_build c++ main.o b.o -o main -Lcudart -lcudart || fail "link: $(cat err)"

# calls WANTED ENTRIES MODULES CALL…: a process with an empty cache; how many fat binaries CUDA has then
calls() {
  wanted=$1 entries=$2 modules=$3
  shift 3
  rm -rf cache
  run ./main "$@" >out 2>said || fail "$*: $(cat out said)"
  is "$*" "$wanted" "$(sed 's/ $//' out)"
  is "$*: entries" "$entries" "$(find cache -name '*.so' | wc -l)"
  is "$*: modules" "$modules" "$(grep -c '^module' log)"
}
calls '0:77' 2 1 0
calls '0:77 0:77 3:77' 3 2 0 1 2
calls '0:0 3:0 0:5 0:77' 2 1 1 2 3 0
calls '0:5 0:5 3:5' 3 1 3 1 2
