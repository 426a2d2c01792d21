#!/bin/bash
# Blobs that cannot be compiled apart from their library, in a home with lazy units: they become
# ordinary units of it, and their kernels are still compiled when they are launched. They need a
# thread-local variable of another object; one is an explicit instantiation. A relink makes none of
# them again, a list of --aot-list has one compiled at the link, and without lazy units all are.
# tier: all
# seconds: 16
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >k.h <<'C'
template <int N> struct traits {};
template <class T> int run_(int *p);
extern thread_local int depth;
C
cat >made.h <<'C'
extern thread_local int depth;
template <int N> __global__ void third(int *p) { *p = N; }
template <int N> int made(int *p) {
  third<N><<<1, 1>>>(p);
  return N - 100 + depth + cudaGetLastError();
}
extern template int made<3>(int *p);
C
blob() { # NUMBER RESULT
  cat >"k$1.cu" <<C
#include "k.h"
template <int N> static __global__ void fill(int *p) { *p = N; }
template <> int run_<traits<$1>>(int *p) {
  fill<$1><<<1, 1>>>(p);
  return $2 + cudaGetLastError();
}
C
}
blob 1 depth
blob 2 2
printf '#include "made.h"\ntemplate int made<3>(int *p);\n' >k3.cu
cat >host.cpp <<'C'
#include "k.h"
template <int N> int made(int *p);
extern template int made<3>(int *p);
template <> int run_<traits<1>>(int *p);
template <> int run_<traits<2>>(int *p);
thread_local int depth = 100;
extern "C" int run() { return run_<traits<1>>(nullptr) + run_<traits<2>>(nullptr) + made<3>(nullptr); }
C
objects() {
  for k in 1 2 3; do
    as_build nvcc -O2 -Xcompiler -fPIC,-fvisibility=hidden -gencode arch=compute_90,code=sm_90 -c k$k.cu -o k$k.o || fail "k$k.cu: $(cat err)"
  done
  as_build c++ -O2 -fPIC -c host.cpp -o host.o || fail "host.cpp: $(cat err)"
}
link() { as_build c++ -shared -o lib.so k1.o k2.o k3.o host.o -Lcudart -lcudart || fail "link: $(cat err)"; }
objects
is 'as the build sees them' 'blob blob blob' "$(sed -n 's/.*"kind":"\(blob\|unit\)".*/\1/p' home/work/manifest.json.ndjson | xargs)"
link
has 'the link: what can be forwarded is' '1 blob is lazy (1 function in 1 unit), 0 compiled ahead of time' err
has 'the link: the others' 'ckjit-link: 2 ordinary units, lazy' err
has 'the link: why' 'ckjit-link: 2 of them are kernels that cannot be compiled apart from the library; of k1.cu: it needs depth of ' err
loading_main
run ./main >out 2>said || fail "run: $(cat out said)"
is 'what the calls return' 105 "$(cat out)"
launched() { sed -n 's/^launch \([^ ]*\).*/\1/p' log | sort | xargs; }
is 'launched' '_Z4fillILi1EEvPi _Z4fillILi2EEvPi _Z5thirdILi3EEvPi' "$(launched)"
"$B/bin/ckjit-prebuild" list --manifest home/work/lib/ck_jit_manifest.json --kernels >kernels || fail 'list'
is 'their kernels are listed' 2 "$(grep -c '^k[13]-[0-9a-f]*\.' kernels)"
"$B/bin/ckjit-build" explain home/work >explained || fail 'explain'
grep -q 'k1.cu' explained || fail "explain: $(cat explained)"

# again, with nothing changed, and with one that lost its text
before=$(stat -c %y home/work/lib/objs/made-*k1.o home/work/lib/objs/made-*k3.o)
link
is 'nothing is made again' "$before" "$(stat -c %y home/work/lib/objs/made-*k1.o home/work/lib/objs/made-*k3.o)"
has 'a relink' 'ckjit-link: 2 ordinary units, lazy' err
rm home/work/.units/*.text
link
has 'without their texts' 'ckjit-link: 2 ordinary units, lazy' err
[ "$(stat -c %y home/work/lib/objs/made-*k1.o home/work/lib/objs/made-*k3.o)" != "$before" ] || fail 'a unit without its text is kept'

# by the name of a kernel, and by the blob's own
grep '^k1-' kernels >list
echo k3 >>list
"$B/bin/ckjit-build" relink --tmp-dir home/work --aot-list list >relinked 2>&1 || fail "relink: $(cat relinked)"
has 'a list' 'lib.so: 1 blob is lazy (1 function in 1 unit), ' home/work/lib/summary.txt
has 'a list: what is lazy' 'ckjit-link: 0 ordinary units, lazy' home/work/lib/summary.txt
run ./main >out 2>said || fail "run: $(cat out said)"
is 'with what is linked' 105 "$(cat out)"
echo k4 >list
"$B/bin/ckjit-build" relink --tmp-dir home/work --aot-list list >relinked 2>&1 && fail 'an unknown kernel is taken'
has 'unknown' "unknown kernel 'k4'" relinked

# without lazy units they are compiled at the link
export CK_JIT_UNITS=0
objects
link
has 'without lazy units' '1 blob is lazy (1 function in 1 unit), 2 compiled ahead of time' err
run ./main >out 2>said || fail "run: $(cat out said)"
is 'compiled ahead of time' 105 "$(cat out)"
