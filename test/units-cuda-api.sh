#!/bin/bash
# libckjit.so and a library of lazy units of CUDA: it lists the units, compiles, exports and prewarms each with all its kernels, by the unit's name or
# that of one of its kernels; a launch then finds them, without a compiler. The mangled name of a kernel is none of a function. One that is
# gone, and a miss that may not be compiled, are errors.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
. "$here/unit/units_api_fixture.sh"
for n in a b; do
  cat >$n.cu <<C
template <int N> __global__ void times_$n(int *p) { p[threadIdx.x] *= N; }
__global__ void first_$n(int *p) { *p = 0; }
extern "C" int $n(int which) {
  if (which) times_$n<3><<<1, 1>>>(nullptr); else first_$n<<<1, 1>>>(nullptr);
  return cudaGetLastError();
}
C
  as_build nvcc -O2 -Xcompiler -fPIC -arch=sm_90 -c $n.cu -o $n.o || fail "$n: $(cat err)"
done
as_build c++ -shared -o libunits.so a.o b.o -Lcudart -lcudart || fail "link: $(cat err)"
has 'the summary' '2 ordinary units, lazy' err
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
extern "C" int a(int), b(int);
int main(int, char **v) {
  while (*++v) printf("%s %d ", *v, **v == 'a' ? a(atoi(*v + 1)) : b(atoi(*v + 1)));
}
C
g++ main.cpp -o main -L. -lunits -Lcudart -lcudart -Wl,-rpath,"$T"
units_api sm_90 cudart CUDART_LOG
