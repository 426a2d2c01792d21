#!/bin/bash
# Lazy units of HIP with -fgpu-rdc: kernels that call device functions of other units. The library's device link is not made; a first launch
# compiles the units that the kernel reaches, each once for all kernels, and links them. An edited unit is one compile.
# tier: all
# seconds: 40
# shellcheck disable=SC2086 # $rdc is a list of flags
. "${0%/*}/common.sh"
. "$here/unit/rdc_fixture.sh"
rdc="$small_hip $rdc"
cat >a.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int twice(int);
__device__ int thrice(int);
template <int N> __global__ void times(int *p) { p[0] = twice(p[0]) * N; }
static __global__ void other(int *p) { p[0] = thrice(p[0]); }
extern "C" __attribute__((visibility("default"))) int a(int which, int *p) {
  if (which == 0) times<3><<<1, 1>>>(p);
  if (which == 1) other<<<1, 1>>>(p);
  if (which == 2) times<4><<<1, 1>>>(p);
  return hipGetLastError();
}
C
cat >twice.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int plus(int a, int b);
__device__ int twice(int a) { return plus(a, a); }
C
cat >c.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int thrice(int a) { return a * 3; }
__device__ int plus(int a, int b) { return a + b; }
__global__ void thirds(int *p) { p[0] = thrice(p[0]) / 9; }
extern "C" __attribute__((visibility("default"))) int c(int *p) { thirds<<<1, 1>>>(p); return hipGetLastError(); }
C
link() {
  as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o librdc.so a.o twice.o c.o || fail "link: $(cat err)"
}
compile a twice c
link
has 'the summary' 'ckjit-link: librdc.so: 3 ordinary units, lazy; ' err
calling_units
export CK_JIT_VERBOSE=1
parts() { find cache -name "$1-*.0aa9b9845c82546b.so" | wc -l; } # the digits are those of +part

# a kernel, then others with the bitcode that is there
run ./main ./librdc.so a0 >out 2>said || fail "first launch: $(cat out said)"
is 'first launch' 'a0 0' "$(cat out)"
is launched 'module function _Z5timesILi3EEvPi launch _Z5timesILi3EEvPi 1 1 0 gone ' "$(tr -s ' \n' ' ' <log)"
is 'units compiled' '1 1 1' "$(parts a) $(parts twice) $(parts c)"
links() { find cache/.fragments -name '*.linked' | wc -l; }
made() { find cache -maxdepth 1 -name '*.so' | wc -l; }
is entries 4 "$(made)"
run ./main ./librdc.so a0 a1 a2 c0 >out 2>said || fail "others: $(cat out said)"
printf '%s\n' 'a0 0' 'a1 0' 'a2 0' 'c0 0' | diff - out || fail "others: $(cat said)"
is 'the entries of three more kernels' 7 "$(made)"
is 'launched then' 4 "$(grep -c '^launch _Z' log)"

# the code is that of the regular device link; it would have other distances if it called a function or had a constant
mkdir regular
for u in a twice c; do
  hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a $rdc -c $u.hip -o regular/$u.o || fail "regular: $u"
done
hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o regular/librdc.so regular/*.o || fail 'the regular link'
for kernel in _Z5timesILi3EEvPi _Z6thirdsPi; do
  python3 "$here/unit/kernel_code.py" $kernel regular/librdc.so >wanted
  for f in cache/*.so; do python3 "$here/unit/kernel_code.py" $kernel "$f"; done | sort -u | grep . >found || fail "no code of $kernel"
  cmp wanted found || fail "$kernel: the code is another than the regular one"
done

# an edited unit: one compile, and one link for each kernel that has it
sed -i 's/plus(a, a)/plus(a, a) + 1/' twice.hip
compile twice
link
before=$(made) links=$(links)
run ./main ./librdc.so a0 c0 >out 2>said || fail "an edit: $(cat out said)"
is 'compiled after an edit' '1 2 1' "$(parts a) $(parts twice) $(parts c)"
is 'made after an edit: the unit, and the two kernels under their new keys' $((before + 3)) "$(made)"
is 'linked after an edit' $((links + 1)) "$(links)" # the other is what it was

# an archive, without an index, of which this hipcc takes all units
rm -f lib.a && ar rcS lib.a twice.o c.o
as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o libar.so a.o lib.a || fail "archive: $(cat err)"
has 'an archive' 'libar.so: 3 ordinary units, lazy' err
nm -D libar.so | grep -q ' T c$' || fail 'an archive: c() is not exported'
run ./main ./libar.so a0 >out 2>said || fail "archive: $(cat out said)"
lacks 'an archive: compiled again' ': compiled in' said

# a function that nobody defines is an error of the link, as it is without ckjit
as_build hipcc $rdc --hip-link --offload-arch=gfx90a -shared -o libno.so a.o c.o 2>/dev/null && fail 'twice() is missed by nobody'
has 'a function that nobody defines' 'no unit that is linked with it defines _Z5twicei, which a.hip needs' err
has 'the linker says it' 'undefined symbol: twice(int)' err
