#!/bin/sh
# The kernels of a lazy unit of HIP are known by name from what its host code registers: optimised or not, with -mcmodel=large and sections of their
# own, as aiter has them. If variables are registered as well in that form they are not known, and the unit is lazy without.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
cat >k.hip <<'C'
#include <hip/hip_runtime.h>
template <int N> __global__ void times(int *p) { p[0] *= N; }
__global__ void negate(int *p) { p[0] = -p[0]; }
static __global__ void set(int *p) { p[0] = 3; }
#ifdef VARIABLE
__device__ int variable;
void write(int n) { (void)hipMemcpyToSymbol(HIP_SYMBOL(variable), &n, sizeof n); }
#endif
extern "C" int run(int which, int *p) {
  if (which) times<3><<<1, 1>>>(p);
  else times<4><<<1, 1>>>(p);
  negate<<<1, 1>>>(p);
  set<<<1, 1>>>(p);
  return hipGetLastError();
}
C
# known FLAGS…: the names that are known of the unit
known() {
  as_build hipcc -fPIC --offload-arch=gfx90a "$@" -c k.hip -o k.o || fail "$*: $(cat err)"
  as_build hipcc -shared -o libk.so k.o || fail "$*: link: $(cat err)"
  "$B/bin/ckjit-prebuild" list --manifest home/work/libk/ck_jit_manifest.json --kernels >out 2>said || :
  sed -n 's/^k-[0-9a-f]*\.[0-9a-f]*	//p' out | sed 's/ \[.*//' | sort | tr '\n' ';'
}
names='negate(int*);set(int*);void times<3>(int*);void times<4>(int*);'
is 'as ever' "$names" "$(known -O2)"
is 'a large model' "$names" "$(known -O3 -mcmodel=large -fno-unique-section-names -ffunction-sections -fdata-sections)"
is 'a large model, not optimised' "$names" "$(known -O0 -mcmodel=large)"
is 'variables' "$names" "$(known -O2 -DVARIABLE)"
is 'variables in a large model' '' "$(known -O3 -mcmodel=large -DVARIABLE)"
