#!/bin/bash
# A hidden variable of the toolkit's own headers, which each shared object of a process has for
# itself (nvtx3's nvtxGlobals_v3, in all that uses CUB), does not keep blobs from being lazy. The
# same in a header of the build's does, as the library has one that an attribute hides.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
late=1 # a home without ordinary units as well
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/include/nvtx3/nvToolsExt.h" ] || skip "$cuda has no NVTX"
CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir "$T/plain" --profile cuda >"$T/exports" 2>err || fail "no fake home: $(cat err)"
# blobs HEADER PUSH: two blobs that use it, and an object of the library that does; both name what
# that defines, size
blobs() {
  printf '%s\ntemplate <int N> int f(int *p);\n' "$1" >f.h
  for n in 1 2; do
    cat >f$n.cu <<C
#include "f.h"
namespace { struct q { int size() { return 0; } }; int last() { return q().size(); } }
template <int N> __global__ void k(int *p) { p[threadIdx.x] += N; }
template <> int f<$n>(int *p) { $2; k<$n><<<1, 32>>>(p); return last(); }
C
  done
  cat >api.cu <<C
#include "f.h"
thread_local int size = 3;
extern "C" int run(int *p) { $2; return f<1>(p) + f<2>(p); }
C
  for u in f1 f2 api; do
    as_build nvcc -O2 -std=c++17 -Xcompiler -fPIC -arch=sm_90 "${@:3}" -c $u.cu -o $u.o || fail "$u: $(cat err)"
  done
  as_build nvcc -shared -arch=sm_90 -cudart=shared -Lcudart f1.o f2.o api.o -o lib.so || fail "link: $(cat err)"
}
for visible in '' -Xcompiler=-fvisibility=hidden; do
  blobs '#include <nvtx3/nvToolsExt.h>' 'nvtxRangePushA("f")' $visible
  has "NVTX $visible" '2 blobs are lazy' err
done
has 'they were looked into' 'compiles' err
blobs 'int *mine(); __attribute__((weak, visibility("hidden"))) int mine_count = 1; static inline int *mine_push() { return &mine_count; }' 'mine_push()[0]++'
has "the build's own" '0 blobs are lazy' err
"$B/bin/ckjit-build" explain plain >said 2>&1
has "the build's own: why" 'an attribute hides the variable mine_count' said
