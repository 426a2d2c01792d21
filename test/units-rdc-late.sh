#!/bin/bash
# HIP units with -fgpu-rdc that are late: the build records them, and the link starts no compiler for them. A first call compiles its unit
# and the device side of the units that it reaches, and links its kernels.
# tier: all
# seconds: 40
# shellcheck disable=SC2086 # $rdc is a list of flags
. "${0%/*}/common.sh"
late=1
. "$here/unit/rdc_fixture.sh"
cat >shared.hpp <<'C'
#pragma once
#include <hip/hip_runtime.h>
#define DEV __device__ __forceinline__
DEV int half(int a) { return a / 2; }
__device__ int twice(int);
__device__ int thrice(int);
namespace ns { template <class T> __device__ T plus(T a, T b); }
C
cat >a.hip <<'C'
#include "shared.hpp"
template <int N> __global__ void times(int *p) { p[0] = half(twice(p[0])) * N; }
static __global__ void other(int *p) { p[0] = thrice(p[0]); }
extern "C" __attribute__((visibility("default"))) int a(int which, int *p) {
  if (which == 0) times<3><<<1, 1>>>(p);
  if (which == 1) other<<<1, 1>>>(p);
  if (which == 2) times<4><<<1, 1>>>(p);
  return hipGetLastError();
}
C
cat >twice.hip <<'C'
#include "shared.hpp"
__device__ int twice(int a) { return ns::plus<int>(a, a); }
C
cat >c.hip <<'C'
#include "shared.hpp"
__device__ int thrice(int a) { return a * 3; }
namespace ns { template <> __device__ int plus<int>(int a, int b) { return a + b; } }
__global__ void thirds(int *p) { p[0] = thrice(p[0]) / 9; }
extern "C" __attribute__((visibility("default"))) int c(int *p) { thirds<<<1, 1>>>(p); return hipGetLastError(); }
C
cat >far.hip <<'C'
#include "shared.hpp"
__device__ int far(int a) { return a - 1; }
__global__ void further(int *p) { p[0] = far(p[0]); }
extern "C" __attribute__((visibility("default"))) int f(int *p) { further<<<1, 1>>>(p); return hipGetLastError(); }
C
link() {
  as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o librdc.so a.o twice.o c.o far.o || fail "link: $(cat err)"
}
compile a twice c far
link
has 'the summary' '3 ordinary sources lazy, 0 ahead of time' err
is 'a recorded object has code' '' "$(readelf -SW a.o | grep -o ' [.]text  *PROGBITS  *[0-9a-f]* [0-9a-f]* 0*[1-9a-f][0-9a-f]*' || :)"
calling_units
export CK_JIT_VERBOSE=1
objects() { find cache/.fragments -name '*.o' | wc -l; }

# a first call: its unit, and the device side of the two that it reaches; far.hip is compiled by nobody
run ./main ./librdc.so a0 a1 a2 >out 2>said || fail "first call: $(cat out said)"
printf '%s\n' 'a0 0' 'a1 0' 'a2 0' | diff - out || fail "first call: $(cat said)"
is 'launched' 3 "$(grep -c '^launch _Z' log)"
is 'objects made' 3 "$(objects)"
# a unit that was a part of another is an entry of its own
run ./main ./librdc.so c0 >out 2>said || fail "c: $(cat out said)"
is 'launched of c' 1 "$(grep -c '^launch _Z6thirdsPi ' log)"
is 'objects made with c' 4 "$(objects)"
is entries 2 "$(find cache -maxdepth 1 -name '*.so' | wc -l)"

# the code is that of the regular device link, and other units' kernels are not in an entry
mkdir regular
for u in a twice c far; do
  hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a $rdc -c $u.hip -o regular/$u.o || fail "regular: $u"
done
hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o regular/librdc.so regular/*.o || fail 'the regular link'
for pair in a:_Z5timesILi3EEvPi a:_Z5timesILi4EEvPi c:_Z6thirdsPi; do
  kernel=${pair#*:}
  python3 "$here/unit/kernel_code.py" $kernel regular/librdc.so >wanted
  python3 "$here/unit/kernel_code.py" $kernel cache/${pair%:*}.so >found
  grep -q . found || fail "no code of $kernel"
  cmp wanted found || fail "$kernel: the code is another than the regular one"
done
is "c's kernel in the entry of a" '' "$(python3 "$here/unit/kernel_code.py" _Z6thirdsPi cache/a.so 2>/dev/null)"

# an edited unit: one compile, and one link of each entry that has it
sed -i 's/ns::plus<int>(a, a)/ns::plus<int>(a, a) + 1/' twice.hip
compile twice
link
before=$(objects)
run ./main ./librdc.so a0 c0 >out 2>said || fail "an edit: $(cat out said)"
is 'compiled after an edit' $((before + 1)) "$(objects)"
is 'linked after an edit' 3 "$(find cache/.fragments -name '*.linked' | wc -l)" # the other is what it was

# an archive
rm -f lib.a && ar rcs lib.a twice.o c.o far.o
as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o libar.so a.o lib.a || fail "archive: $(cat err)"
has 'an archive' 'ordinary sources lazy, 0 ahead of time' err
run ./main ./libar.so a0 >out 2>said || fail "archive: $(cat out said)"
# in it a source without kernels, which the regular compiler has made: it has nothing for others
printf '%s\n' '#include <hip/hip_runtime.h>' 'struct counter { counter() { n++; } static int n; };' 'int counter::n;' \
  'static counter one;' 'int plain() { return hipGetLastError() + counter::n; }' >plain.hip
compile plain
ar rs lib.a plain.o 2>err
as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o libar.so a.o lib.a || fail "an archive with other code: $(cat err)"
has 'an archive with what has no kernels' '3 ordinary sources lazy, 0 ahead of time' err
run ./main ./libar.so a0 >out 2>said || fail "an archive with other code: $(cat out said)"
# and one that has
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int shared_by_all;' 'void *symbol() { void *p = 0; return hipGetSymbolAddress(&p, shared_by_all) ? 0 : p; }' >plain.hip
compile plain
ar rs lib.a plain.o 2>err
as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o libar.so a.o lib.a || fail "an archive with a variable: $(cat err)"
has 'an archive with a variable' 'lib.a(plain.o), which was compiled already, defines shared_by_all for the device' err
has 'each is compiled once' '4 compiled ahead of time, 0 dispatchers (0 helpers erased, 0 tables of 0 rows); 4 compiles, 1 kept' home/work/libar/summary.txt

# a function that nobody defines: the call names it, and what needs it
sed -i '/int twice(int a)/s/twice/other_twice/' twice.hip
compile twice
link
run ./main ./librdc.so c0 >out 2>said || fail "another unit: $(cat out said)"
run ./main ./librdc.so a0 >out 2>said && fail 'twice() is missed by nobody'
has 'a function that nobody defines' 'a: device functions are missing' said
has 'and who needs it' 'a needs _Z5twicei' said
