#!/bin/bash
# nvcc's host compiler is that of the home, as CMake has it that takes CUDAHOSTCXX: what nvcc generates and hands to it is no unit of the build. It is
# not told by explain, and it goes to the real compiler, whatever it looks like.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
export CK_JIT_UNITS=0
cat >u.cu <<'C'
#include <cuda_runtime.h>
__global__ void k(int *p) { p[0] = 1; }
void call(int *p) { k<<<1, 1>>>(p); }
C
as_build nvcc -ccbin "$T/home/bin/ckjit-cxx" -arch=sm_90 -c u.cu -o u.o || fail "$(cat err)"
as_build nvcc -ccbin "$T/home/bin/ckjit-cxx" -arch=sm_90 -shared u.o -o libu.so || fail "$(cat err)"
"$B/bin/ckjit-build" explain home >explained 2>&1 || fail "explain: $(cat explained)"
grep -q '^[^ ]*u\.cu:[0-9]*: host' explained || fail "explain: $(cat explained)"
lacks "nvcc's own" cudafe1 explained
lacks "nvcc's own" link.stub explained
# one that would be a blob, were it the build's
cat >x.cudafe1.cpp <<'C'
template <int> int value(int);
template <> int value<0>(int x) { return x; }
C
as_build ckjit-cxx -c x.cudafe1.cpp -o x.o || fail "$(cat err)"
nm x.o | grep -q 'T _Z5valueILi0EEii' || fail "not compiled: $(nm x.o)"
