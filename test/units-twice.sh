#!/bin/sh
# A kernel that several units have, from one header, lazy ones and a stock one; static kernels of one name; a kernel that is launched by a declaration,
# from a lazy and from a stock unit: each launch runs the kernel that it runs without ckjit, also if only one of the units is launched.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
cat >common.h <<'C'
#include <hip/hip_runtime.h>
template <int N> __global__ void of_all(int *p) { p[0] = N; }
static __global__ void own(int *p) { p[0] = UNIT; }
#define SHOWN extern "C" __attribute__((visibility("default")))
C
cat >a.hip <<'C'
#define UNIT 100
#include "common.h"
__global__ void of_a(int *p) { p[0] = 17; }
SHOWN int a(int which, int *p) {
  if (which == 0) of_all<1><<<1, 1>>>(p);
  if (which == 1) own<<<1, 1>>>(p);
  if (which == 2) of_a<<<1, 1>>>(p);
  return hipGetLastError();
}
C
for u in b s; do
  cat >$u.hip <<C
#define UNIT ${u%b}200 / 2
#include "common.h"
__global__ void of_a(int *p);
SHOWN int $u(int which, int *p) {
  if (which == 0) of_all<1><<<1, 1>>>(p);
  if (which == 1) own<<<1, 1>>>(p);
  if (which == 2) of_a<<<1, 1>>>(p);
  return hipGetLastError();
}
C
done
sed -i 's/UNIT s200/UNIT 600/' s.hip
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
struct dim3 { unsigned x, y, z; };
typedef void kernel(void **, const dim3 *, const dim3 *);
extern "C" void hiprt_kernel(const char *, kernel *);
extern "C" int a(int, int *), b(int, int *), s(int, int *);
static void note(void **v, int n) { **(int **)v[0] = n; }
int main(int, char **v) {
  hiprt_kernel("_Z6of_all", [](void **p, const dim3 *, const dim3 *) { note(p, 1); });
  hiprt_kernel("_ZL3own", [](void **p, const dim3 *, const dim3 *) { note(p, 2); });
  hiprt_kernel("_Z4of_a", [](void **p, const dim3 *, const dim3 *) { note(p, 3); });
  while (*++v) {
    int p = 0, w = atoi(*v + 1), r = **v == 'a' ? a(w, &p) : **v == 'b' ? b(w, &p) : s(w, &p);
    printf("%s %d %d\n", *v, r, p);
  }
}
C
# build LIBRARY: of the three units
build() {
  for u in a b; do
    as_build hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c $u.hip -o $u.o || fail "$u: $(cat err)"
  done
  CK_JIT_UNITS=0 as_build hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c s.hip -o s.o || fail "s: $(cat err)"
  as_build hipcc -shared -o "$1" a.o b.o s.o || fail "link: $(cat err)"
}
mkdir stock lazy
CK_JIT_UNITS=0 build stock/libu.so
build lazy/libu.so
has 'the summary' '2 ordinary units, lazy' err
g++ main.cpp -o main -Llazy -lu -Lhip -lamdhip64
# launches KERNEL…: what stock's library does and prints, the lazy one does
launches() {
  for l in stock lazy; do
    rm -rf cache
    (RT_SHARED=1 HIPRT_LOG=$T/log.$l LD_LIBRARY_PATH=$T/$l:$T/hip ./main "$@" >out.$l 2>said.$l) || fail "$l, $*: $(cat out.$l said.$l)"
  done
  is "$*" "$(cat out.stock)" "$(cat out.lazy)"
  is "$*: launches" "$(grep '^launch' log.stock)" "$(grep '^launch' log.lazy)"
  rm log.*
}
launches a0 b0 s0 a1 b1 s1 a2 b2 s2
has 'what they are' 'b2 0 3' out.stock
launches s2 b2 a2
launches b2
launches s2
launches b0
launches s0 b0 a0
launches b1 a1 s1 b1
