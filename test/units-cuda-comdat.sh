#!/bin/bash
# Kernels that only their unit has, launched by a template or an inline function that several units have, of which a link keeps one copy:
# each unit registers its own, as nvcc's does, and the launch is of the kernel of the unit whose copy was kept. llama.cpp's launch_fattn
# launches such kernels; gcc put them into its COMDAT group, and the link failed.
# tier: all
# seconds: 7
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >launch.h <<'C'
template <int N> static __global__ void fix(int *p) { *p = N; }
static __global__ void once(int *p) { *p = 1; }
namespace { template <int N> __global__ void hidden(int *p) { *p = N; } }
template <class T> __global__ void shared(T *p) { *p = 2; }
template <int N> __attribute__((noinline)) void launch(int *p) {
  fix<N><<<1, 1>>>(p);
  hidden<N><<<1, 1>>>(p);
  shared<<<1, 1>>>(p);
}
inline void launch_once(int *p) { once<<<1, 1>>>(p); }
C
for u in a b; do
  cat >$u.cu <<C
#include "launch.h"
extern "C" int of_$u() { launch<3>(nullptr); launch_once(nullptr); return cudaGetLastError(); }
C
  as_build nvcc -O2 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -c $u.cu -o $u.o || fail "$u.cu: $(cat err)"
  is "$u.cu is lazy, and its stub made without cicc" unit "$(sed -n '/"stub"/d; s/.*"kind":"\([a-z]*\)".*/\1/p' home/work/manifest.json.ndjson | tail -n 1)"
done
echo 'extern "C" int of_a(); extern "C" int of_b(); extern "C" int run() { return of_a() + of_b(); }' >run.cpp
g++ -fPIC -c run.cpp
as_build c++ -shared -o lib.so a.o b.o run.o -Lcudart -lcudart || fail "link: $(cat err)"
has 'link' '2 ordinary units, lazy' err
loading_main
run ./main >out 2>said || fail "run: $(cat out said)"
is 'what the launches return' 0 "$(cat out)"
launched() { sed -n 's/^launch \([^ ]*\).*/\1/p' log | sed 's/_ZN[^ ]*hidden[^ ]*/hidden/' | sort | uniq -c | tr -s ' \n' ' '; }
# A kernel's first launch is in the log: once() is one of each unit, the others are those of the copy of launch<3> that was kept.
is 'launched' ' 1 _Z3fixILi3EEvPi 2 _Z4oncePi 1 _Z6sharedIiEvPT_ 1 hidden ' "$(launched)"
