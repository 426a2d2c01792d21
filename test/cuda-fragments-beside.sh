#!/bin/bash
# A unit with -rdc=true that is nvcc's does not make the others nvcc's: its device code is linked at
# the build, and theirs at their launch, if neither needs the other and they share no variable.
# A unit with cuRAND's tables is lazy, if no other of the link has them.
# tier: all
# seconds: 29
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
flags='-std=c++17 -rdc=true -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
explain() { "$B/bin/ckjit-build" explain home >said 2>&1 || fail "explain: $(cat said)"; }
compile() {
  for u; do
    # shellcheck disable=SC2086 # words
    as_build nvcc $flags -c "$u.cu" -o "$u.o" || fail "$u: $(cat err)"
  done
}
# shellcheck disable=SC2086 # words
link() {
  rm -f lib.so
  as_build nvcc -shared $flags "$@" -o lib.so -cudart=shared -Lcudart || fail "link of $*: $(cat err)"
  nm lib.so >names
}
lazy() {
  link "${@/%/.o}"
  has "lazy: $*" ckjit names
  lacks "lazy: $*" 'compiled without ckjit' err
}
stock() {
  why=$1
  shift
  link "${@/%/.o}"
  has "why $* are nvcc's" "$why" err
}
echo '__device__ int total; __global__ void sum(int *p) { p[0] = total++; } void launch_sum(int *p) { sum<<<1, 1>>>(p); }' >total.cu
echo '__device__ int twice(int n) { return 2 * n; }' >twice.cu
echo '__device__ int twice(int); __global__ void a(int *p) { p[0] = twice(3); } void launch_a(int *p) { a<<<1, 1>>>(p); }' >a.cu
compile total twice a
explain
has 'a variable' 'it has the device variable total, which all kernels of a device link share' said
lazy total twice a
has 'both' __cudaRegisterLinkedBinary names

# nvcc's needs what a lazy one defines, or the contrary; in an archive as well
echo '__device__ int twice(int); __device__ int m; __global__ void needs(int *p) { p[0] = twice(m++); }' >needs.cu
compile needs
stock 'needs.o, which was compiled already, has device code that is linked with it' needs twice a
compile twice a
ar rc libneeds.a needs.o
link twice.o a.o -L. -lneeds
has 'why they are nvcc'"'"'s beside an archive' 'libneeds.a, which was compiled already, has device code that is linked with it' err
echo '__device__ int m; __device__ int twice(int n) { return m += n; }' >writes.cu
compile writes a
stock 'no unit that is linked with it defines _Z5twicei, which a.cu needs' writes a

# an inline variable of both
cat >both.h <<'C'
inline __device__ int shared_by_both[2] = {1, 2};
C
echo '#include "both.h"
__device__ int n; __global__ void one(int *p) { shared_by_both[0] = n++; }' >one.cu
echo '#include "both.h"
__global__ void two(int *p) { p[0] = shared_by_both[0]; } void launch_two(int *p) { two<<<1, 1>>>(p); }' >two.cu
echo '#include "both.h"
__global__ void three(int *p) { p[0] = shared_by_both[1]; } void launch_three(int *p) { three<<<1, 1>>>(p); }' >three.cu
echo '#include "both.h"
__global__ void four(int *p) { shared_by_both[1] = 4; } void launch_four(int *p) { four<<<1, 1>>>(p); }' >four.cu
compile one two three four
lazy two three
stock 'may share the device variable shared_by_both with one.o' one two
compile two three four
stock 'share the device variable shared_by_both' two four

# cuRAND's tables, whose addresses its functions are given: one unit may have them
cat >random.cu <<'C'
#include <curand_kernel.h>
__global__ void seed(curandState *s) { curand_init(1, threadIdx.x, 0, &s[threadIdx.x]); }
void init(curandState *s) { seed<<<1, 32>>>(s); }
C
sed 's/seed/seed2/; s/init(c/init2(c/; s/seed<<</seed2<<</' random.cu >random2.cu
compile random random2 twice a
lazy random twice a
stock 'kernels of random.cu and random2.cu share the device variable precalc_xorwow_matrix' random random2
