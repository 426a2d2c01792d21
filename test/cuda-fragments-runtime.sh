#!/bin/bash
# A kernel of a lazy unit with -rdc=true that calls CUDA's runtime for devices is linked with libcudadevrt.a; one whose unit's host code alone calls such
# functions is not.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
[ -e "$cuda/lib64/libcudadevrt.a" ] || skip "$cuda has no libcudadevrt.a"
cat >k.cu <<'C'
__device__ int helper(int);
__global__ void asks(int *p) { int n; cudaGetDevice(&n); p[0] = helper(p[1]) + cudaGetLastError() + n; }
__global__ void plain(int *p) { p[0] = helper(p[1]); }
extern "C" int run() {
  plain<<<1, 1>>>(0);
  if (cudaGetLastError()) return 1;
  asks<<<1, 1>>>(0);
  return cudaGetLastError();
}
C
echo '__device__ int helper(int x) { return x + 1; }' >helper.cu
loading_main
for u in k helper; do
  as_build nvcc -rdc=true -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -c $u.cu -o $u.o || fail "$u: $(cat err)"
done
as_build nvcc -shared -gencode arch=compute_90,code=sm_90 k.o helper.o -o lib.so -cudart=shared -Lcudart || fail "link: $(cat err)"
has 'lazy' '2 ordinary units, lazy' err
mkdir code
CK_JIT_TRACE=$T/trace CUDART_CODE=$T/code run ./main >out 2>said || fail "run: $(cat out said)"
is 'launches' 0 "$(cat out)"
is 'links of both, one of them again' 3 "$(grep -c '"device link"' trace)"
for k in asks plain; do
  found=$(find code -name "*$k*.cubin")
  [ -n "$found" ] || fail "no code of $k: $(ls code)"
  readelf -sW "$found" 2>/dev/null | lacks "open in the code of $k" ' UND __cudaCDP' -
done
