#!/bin/sh
# ckjit-prebuild knows ordinary units that are lazy: list names them, build compiles all kernels of each, warm those that calls waited for, pack takes
# them along. A job finds them, without a compiler. The same of a single kernel, by its id, its
# mangled name, or its id of an earlier build; one that shares variables brings its unit.
# tier: all
# seconds: 24
. "${0%/*}/common.sh"
# With one processor no front end runs beside the first kernel (units-hip-front.sh), so its entry is not there.
one_processor "$0" "$@"
. "$here/unit/hip_fixture.sh"
two_units
has 'the summary' '2 ordinary units, lazy' err
"$B/bin/ckjit-build" explain home >out
is 'explain' "$T/a.hip: unit: it is an ordinary unit: its host side is compiled now, each kernel when it is first launched (2 kernels) [unit]     libunits.so: lazy, an ordinary unit" \
  "$(head -n 2 out | tr '\n' ' ' | sed 's/ $//')"
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

# one kernel, by what list calls it, or by its mangled name
prebuild list --kernels
is 'list --kernels' 4 "$(grep -c '^[ab]-[0-9a-f]\{12\}\.[0-9a-f]\{16\}	' out)"
tab=$(printf '\t')
times=$(sed -n "s/${tab}void times_a<3>(int\*)//p" out) first=$(sed -n "s/${tab}first_b(int\*)//p" out)
prebuild list --json --all
has 'list --json' '"signature":"void times_a<3>(int*)","symbol":"_Z7times_aILi3EEvPi","kernel":"'"$times"'","state":"absent"' out
rm -r cache
{ echo '# a list'; printf '%s\tvoid times_a<3>(int*)\n' "$times"; } >kernels
prebuild build --blob-list kernels
has 'build of a kernel' '1 compiled, 0 in the cache already, 0 failed' out
prebuild build _Z7first_bPi "$first" "${first##*.}"
has 'build by the mangled name' '1 compiled, 0 in the cache already, 0 failed' out
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a1 a0 b0 b1 >got 2>err || fail "kernels: $(cat err)"
is 'these kernels and no others' "$(printf '%s\n' 'a1 0' 'a0 98' 'b0 0' 'b1 98')" "$(cat got)"
prebuild list "$times" "$first"
is 'list of kernels' "$times known cached void times_a<3>(int*)" "$(head -n 1 out | tr '\t' ' ')"
prebuild pack "$times" -o one.pack
has 'pack of a kernel' '1 entr' out
prebuild build "a-000000000000.${times##*.}"
has 'a name of an earlier build' '0 compiled, 1 in the cache already, 0 failed' out
prebuild clean "$times"
has 'clean of a kernel' '1 removed' out
prebuild list "$times" "$first"
is 'what is left' 'absent cached' "$(cut -f 3 out | tr '\n' ' ' | sed 's/ $//')"
prebuild build "${times%.*}.0123456789abcdef"
is 'a kernel that there is not: status' 1 $status
has 'a kernel that there is not' "${times%.*}.0123456789abcdef" said
mv home/work/.units gone
prebuild list --kernels
has 'names that are gone' 'cannot read which kernels it has' said
is 'names that are gone: list' 2 "$(grep -c '^[ab]-[0-9a-f]\{12\}$' out)"
mv gone home/work/.units

# one that shares a variable with others, static: asked for by its name, it brings all of its unit
cat >c.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int counter;
static __global__ void count(int *p) { p[0] = atomicAdd(&counter, 1); }
extern "C" __attribute__((visibility("default"))) int a(int) { count<<<1, 1>>>(nullptr); return hipGetLastError(); }
extern "C" __attribute__((visibility("default"))) int b(int) { return -1; }
C
as_build hipcc -std=c++17 -O1 -fPIC --offload-arch=gfx90a -c c.hip -o c.o || fail "c: $(cat err)"
as_build hipcc -shared -o libshared.so c.o || fail "c: link: $(cat err)"
prebuild list --manifest home/work/libshared/ck_jit_manifest.json --kernels
prebuild build --manifest home/work/libshared/ck_jit_manifest.json "$(sed -n "s/${tab}count(int\*).*//p" out)"
has 'a kernel that shares a variable' '2 compiled, 0 in the cache already, 0 failed' out
LD_PRELOAD=$T/libshared.so CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a0 >got 2>err || fail "c: $(cat err)"
is 'its unit is there' 'a0 0' "$(cat got)"

# what calls waited for
unset CK_JIT_WARM
export CK_JIT_JOBS=2 CK_JIT_JOB_MEMORY=0
rm -r cache
run ./main b1 >got 2>err || fail "b1: $(cat err)"
rm cache/*.so
prebuild ready libunits.so
is 'ready: what calls waited for is absent' "3 1" "$status $(grep -c '^b-[0-9a-f]*\.[0-9a-f]*, .*	absent	' out)"
prebuild warm --wait libunits.so
has 'warm' '1 compiled, 0 in the cache already, 0 failed' out
prebuild ready libunits.so
is 'ready' "0 ready: 1 entry is wanted, and nothing will be compiled, $CK_JIT_CACHE_DIR" "$status $(cat out)"
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main b1 b0 >got 2>err || fail "warm: $(cat err)"
is 'warm: the kernel of b that a call waited for' "$(printf 'b1 0\nb0 98\n')" "$(cat got)"
# its stem of an earlier build
sed -i 's/	b-[0-9a-f]\{12\}	/	b-000000000000	/' cache/.used/libunits.so
prebuild ready libunits.so
is 'ready, by the record of an earlier build' "0 ready: 1 entry" "$status $(cut -d ' ' -f 1-3 out)"

# a pack has the kernels that are there, and those of a unit together
run ./main a0 >got 2>err || fail "a0: $(cat err)"
prebuild pack --all -o units.pack
has 'pack' '2 entries' out
(unset CK_JIT_ARCH CK_JIT_MANIFEST && prebuild pack --cache-dir "$CK_JIT_CACHE_DIR" --all -o bare.pack) || fail "without a manifest: $(cat out said)"
has 'pack, without a manifest' '2 entries' out
for pack in units bare; do
  zstd -q -d -c $pack.pack | tar -xO ckjit-pack | grep '^entry ' >$pack.entries
done
cmp units.entries bare.entries || fail "without a manifest: $(cat bare.entries)"
mkdir -m 700 image
prebuild unpack --cache-dir "$T/image" units.pack
has 'unpack' '2 added' out
CK_JIT_CACHE_DIR=$T/image CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a0 b0 b1 >got 2>err || fail "pack: $(cat err)"
is 'pack: they are found' "$(printf 'a0 0\nb0 98\nb1 0\n')" "$(cat got)"

# a unit whose text is gone
rm -r cache
mv home/work/.units gone
prebuild build --all
is 'without the texts: status' 1 $status
has 'without the texts' '.text: No such file' said
