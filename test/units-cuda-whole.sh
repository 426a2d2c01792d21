#!/bin/bash
# A kernel's code may be another without the kernels that call the same functions: what all callers give a function is a constant in it. With
# CK_JIT_PER_KERNEL=0 the first launch has the unit compiled whole, and the code is what nvcc makes of it.
# tier: check
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >unit.cu <<'C'
static const int infinity = 0x7f800000;
__global__ void finite(const float *x, const float *y, float *k, float *p, int *c, int n) {
  int count = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    int i = threadIdx.x + j * 256;
    float a = i < n ? x[i] : __int_as_float(infinity), b = i < n ? y[i] : __int_as_float(infinity);
    bool valid = isfinite(a) && isfinite(b);
    k[i] = valid ? (a == 0 ? 0.f : a) : __int_as_float(infinity);
    p[i] = valid ? (b == 0 ? 0.f : b) : __int_as_float(infinity);
    count += valid;
  }
  c[threadIdx.x] = count;
}
__global__ void other(float *p, int i) { p[0] = __int_as_float(i); }
int run_one(int which) {
  if (which) other<<<1, 1>>>(nullptr, 1);
  else finite<<<1, 1>>>(nullptr, nullptr, nullptr, nullptr, nullptr, 1);
  return cudaGetLastError();
}
extern "C" int run() { return run_one(0) + run_one(1); }
C
words='-std=c++17 -O2 -Xcompiler -fPIC -arch=sm_90'
# shellcheck disable=SC2086 # words
"$cuda/bin/nvcc" $words -cubin unit.cu -o stock.cubin || fail 'nvcc fails'
# shellcheck disable=SC2086 # words
as_build nvcc $words -c unit.cu -o unit.o || fail "$(cat err)"
as_build c++ -shared -o lib.so unit.o -Lcudart -lcudart || fail "link: $(cat err)"
has 'the unit is lazy' '1 ordinary unit, lazy' err
loading_main
# code FILE: the code of the kernel finite in a cubin
code() {
  readelf -W -x .text._Z6finitePKfS0_PfS1_Pii "$1" 2>&1 | sed -n 's/^  0x//p' >"$1.text"
  [ -s "$1.text" ] || fail "$1: no code"
}
# entries: how many the cache has
entries() { find cache -name '*.so' ! -name '.*' | wc -l; }

run ./main >out 2>said || fail "one by one: $(cat out said)"
is 'one by one' 0 "$(cat out)"
is 'entries: the front end and two kernels' 3 "$(entries)"
rm -rf cache
CK_JIT_PER_KERNEL=0 CK_JIT_VERBOSE=1 run ./main >out 2>said || fail "whole: $(cat out said)"
is 'whole' 0 "$(cat out)"
is 'entries: the front end and the unit' 2 "$(entries)"
is 'compiles' 1 "$(grep -c 'compiling' said)"
CK_JIT_PER_KERNEL=0 CK_JIT_ON_MISS=error run ./main >out 2>said || fail "again: $(cat out said)"
CK_JIT_ON_MISS=error run ./main >out 2>said || fail "the whole unit serves whoever asks for one kernel: $(cat out said)"

# the code itself
export CK_JIT_MANIFEST="$T/home/work/lib/ck_jit_manifest.json"
unit=$("$B/bin/ckjit-prebuild" list | cut -f1)
"$B/bin/ckjit-prebuild" export "$unit" --format code-object --output whole.cubin >out 2>&1 || fail "export: $(cat out)"
"$B/bin/ckjit-prebuild" export _Z6finitePKfS0_PfS1_Pii --format code-object --output one.cubin >out 2>&1 || fail "export: $(cat out)"
for cubin in stock.cubin whole.cubin one.cubin; do code $cubin; done
cmp stock.cubin.text whole.cubin.text || fail "the whole unit's code is not nvcc's"
cmp -s stock.cubin.text one.cubin.text && fail 'alone it has the same code: take another kernel for this test'
exit 0
