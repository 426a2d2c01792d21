#!/bin/bash
# Lazy units of CUDA in links of other kinds: in an archive, by nvcc, with the static runtime, beside a unit that launches a kernel which only a lazy one
# instantiates; words in an options file, without optimisation; bounds of a launch. ckjit-prebuild knows their kernels. What is not taken apart is nvcc's, with the
# untouched call.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
echo 'template <int N> __global__ void apart(int *p);' >apart.h
cat >inst.cu <<'C'
#include "apart.h"
template <int N> __global__ void __launch_bounds__(96) apart(int *p) { *p = N; }
template __global__ void apart<7>(int *);
C
cat >user.cu <<'C'
#include "apart.h"
extern "C" int use() {
  int failed = cudaFuncSetAttribute(apart<7>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000);
  apart<7><<<1, 1>>>(nullptr);
  return failed ? failed : cudaGetLastError();
}
C
cat >main.cpp <<'C'
#include <cstdio>
#include <dlfcn.h>
int main(int, char **v) {
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  printf("%d\n", ((int (*)())dlsym(h, "use"))());
  dlclose(h);
}
C
kind() { sed -n 's/.*"kind":"\([a-z]*\)".*/\1/p' home/work/manifest.json.ndjson | tail -n 1; }
one='-gencode arch=compute_90,code=sm_90'
echo "-Xcompiler -fPIC $one -static-global-template-stub=false" >words
for u in inst user; do
  as_build nvcc -optf words -c $u.cu -o $u.o || fail "$u: $(cat err)"
  is "$u.cu" "$([ $u = inst ] && echo unit || echo host)" "$(kind)"
done
ar rc libinst.a inst.o
as_build c++ -shared -o libshared.so user.o libinst.a -Lcudart -lcudart || fail "of an archive: $(cat err)"
has 'of an archive' '1 ordinary unit, lazy' err
as_build nvcc -shared -cudart=static -o libstatic.so user.o inst.o || fail "by nvcc: $(cat err)"
has 'by nvcc' '1 ordinary unit, lazy' err
g++ main.cpp -o main -ldl

export CK_JIT_VERBOSE=1
run ./main ./libshared.so >out 2>said || fail "launch: $(cat out said)"
is 'what the launch returns' 0 "$(cat out)"
is 'asked of CUDA, by the stock unit first' 'module sm90 module sm90 function _Z5apartILi7EEvPi attribute _Z5apartILi7EEvPi launch _Z5apartILi7EEvPi 1 1 0 gone gone ' "$(tr -s ' \n' ' ' <log)"
run ./main ./libstatic.so >out 2>said || fail "static runtime: $(cat out said)" # without a GPU it is an error, but none of ours
has 'the static runtime' ': loaded from' said

manifest=home/work/libshared/ck_jit_manifest.json
"$B/bin/ckjit-prebuild" list --manifest $manifest --kernels >out || fail 'list'
has 'a kernel by its name' 'void apart<7>(int*)' out
"$B/bin/ckjit-prebuild" build --manifest $manifest --arch sm_90 --all >out 2>&1 || fail "build: $(cat out)"
has 'all kernels together' '1 compiled' out

# nvcc gets the untouched call
stock() {
  what=$1
  shift
  as_build nvcc "$@" || fail "$what: ends with status $?: $(cat err)"
  is "$what" host "$(kind)"
}
echo '__global__ void k(int *p) { *p = 1; }' >k.cu
echo '__managed__ int m; __global__ void k(int *p) { *p = m; }' >m.cu
# shellcheck disable=SC2086 # words
{
  stock 'no architecture' -c k.cu -o k.o
  stock 'device code for a debugger' $one -G -c k.cu -o k.o
  stock 'other files' $one -Xcompiler -O1,--coverage -c k.cu -o k.o
  [ -e k.gcno ] || fail 'nvcc with --coverage writes no k.gcno'
  stock 'managed variables' $one -c m.cu -o m.o
  echo '__global__ void k(int *p) { *p = missing; }' >bad.cu
  ! as_build nvcc $one -c bad.cu -o bad.o || fail 'an error is none'
  has 'its words' missing err
  is 'an error' host "$(kind)"
}
