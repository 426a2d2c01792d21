#!/bin/sh
# ckjit-prebuild knows ordinary units that are lazy: list names them, build compiles all kernels of each, warm those that calls waited for, pack takes
# them along. A job finds them, without a compiler. What cannot be done with a unit is refused by its name.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
for u in a b; do
  cat >$u.hip <<C
#include <hip/hip_runtime.h>
__global__ void first_$u(int *p) { p[0] = 1; }
template <int N> __global__ void times_$u(int *p) { p[0] *= N; }
extern "C" __attribute__((visibility("default"))) int $u(int which) {
  if (which == 0) first_$u<<<1, 1>>>(nullptr);
  else times_$u<3><<<1, 1>>>(nullptr);
  return hipGetLastError();
}
C
  as_build hipcc -std=c++17 -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c $u.hip -o $u.o || fail "$u: $(cat err)"
done
as_build hipcc -shared -o libunits.so a.o b.o || fail "link: $(cat err)"
has 'the summary' '2 ordinary units, lazy' err
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
extern "C" int a(int), b(int);
int main(int, char** v) {
  while (*++v) printf("%s %d\n", *v, **v == 'a' ? a(atoi(*v + 1)) : b(atoi(*v + 1)));
}
C
g++ main.cpp -o main -L. -lunits -Lhip -lamdhip64 -Wl,-rpath,"$T"
export CK_JIT_MANIFEST="$T/home/work/libunits/ck_jit_manifest.json"
prebuild() {
  status=0
  "$B/bin/ckjit-prebuild" "$@" >out 2>said || status=$?
}

prebuild list
is 'list' 2 "$(grep -c '^[ab]-[0-9a-f]\{12\}' out)"
prebuild build "$(sed -n 's/^\(a-[0-9a-f]*\).*/\1/p' out)"
is 'build of one: status' 0 $status
has 'build of one' '1 compiled, 0 in the cache already, 0 failed' out
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a0 a1 >got 2>err || fail "a: $(cat err)"
is 'each kernel of the unit is there' "$(printf 'a0 0\na1 0\n')" "$(cat got)"
CK_JIT_ON_MISS=error run ./main b0 >got 2>err || fail "b: $(cat err)"
is 'the other unit is not' 'b0 98' "$(cat got)"
prebuild build --all
has 'build of all' '1 compiled, 1 in the cache already, 0 failed' out
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a0 b0 b1 >got 2>err || fail "all: $(cat err)"
is 'all are there' "$(printf 'a0 0\nb0 0\nb1 0\n')" "$(cat got)"

# the command that a miss names
rm -r cache
CK_JIT_ON_MISS=error run ./main b1 >got 2>err || fail "a miss: $(cat err)"
sh -c "$(sed -n 's/^to build it: //p' err)" >out 2>said || fail "what a miss names: $(cat out said)"
CK_JIT_ON_MISS=error run ./main b1 >got 2>err || fail "what a miss names: $(cat err)"
is 'what a miss names' 'b1 0' "$(cat got)"

prebuild export --format code-object --output x.co --all
is 'export: status' 1 $status
has 'export' 'is an ordinary unit, whose kernels are not exported' said
[ ! -e x.co ] || fail 'export has written something'

# what calls waited for
unset CK_JIT_WARM
export CK_JIT_JOBS=2 CK_JIT_JOB_MEMORY=0
rm -r cache
run ./main b1 >got 2>err || fail "b1: $(cat err)"
rm cache/*.so
prebuild warm --wait libunits.so
has 'warm' '1 compiled, 0 in the cache already, 0 failed' out
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main b1 b0 >got 2>err || fail "warm: $(cat err)"
is 'warm: b is there' "$(printf 'b1 0\nb0 0\n')" "$(cat got)"

# a pack has the kernels that are there, and those of a unit together
run ./main a0 >got 2>err || fail "a0: $(cat err)"
prebuild pack --all -o units.pack
has 'pack' '2 entries' out
mkdir -m 700 image
prebuild unpack --cache-dir "$T/image" units.pack
has 'unpack' '2 added' out
CK_JIT_CACHE_DIR=$T/image CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a0 b0 b1 >got 2>err || fail "pack: $(cat err)"
is 'pack: they are found' "$(printf 'a0 0\nb0 0\nb1 0\n')" "$(cat got)"

# a unit whose text is gone
rm -r cache
mv home/work/.units gone
prebuild build --all
is 'without the texts: status' 1 $status
has 'without the texts' '.text: No such file' said
