#!/bin/sh
# CK_JIT_CAPTURE has the kernels of ordinary units that were launched, by name, with launches and the seconds of their compile, of several
# processes. Such a list builds these kernels and no others; as --aot-list it brings the units of these kernels into the library, which then
# needs neither cache nor texts for them; the others stay lazy. A name of an earlier build will do; an unknown one is refused.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
two_units
export CK_JIT_MANIFEST="$T/home/work/libunits/ck_jit_manifest.json" CK_JIT_WARM=0

CK_JIT_CAPTURE=list run ./main a1 a1 a1 >got 2>err || fail "capture: $(cat err)"
CK_JIT_CAPTURE=list run ./main a1 b0 >>got 2>err || fail "capture: $(cat err)"
is 'they run' 'a1 0 a1 0 a1 0 a1 0 b0 0 ' "$(tr '\n' ' ' <got)"
[ "$(grep -c '^[0-9]' list)" = 2 ] || fail "capture: $(cat list)"
grep -q '^4	2	[0-9]*\.[0-9]*	a-[0-9a-f]\{12\}\.[0-9a-f]\{16\}	void times_a<3>(int\*)$' list || fail "capture of a: $(cat list)"
grep -q '^1	1	[0-9]*\.[0-9]*	b-[0-9a-f]\{12\}\.[0-9a-f]\{16\}	first_b(int\*)$' list || fail "capture of b: $(cat list)"

# these and no others
rm -r cache
"$B/bin/ckjit-prebuild" build --blob-list list >out 2>&1 || fail "build: $(cat out)"
has 'build' '2 compiled, 0 in the cache already, 0 failed' out
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a1 b0 a0 b1 >got 2>err || fail "after build: $(cat err)"
is 'after build' 'a1 0 b0 0 a0 98 b1 98 ' "$(tr '\n' ' ' <got)"
has 'the message' 'kernel _Z7first_aPi: first_a(int*): ' err

# ahead of time: the whole unit of a; a name of an earlier build
sed -n 's/.*	a-[0-9a-f]*\(\.[0-9a-f]*	.*\)/a-000000000000\1/p' list >old
"$B/bin/ckjit-build" relink --tmp-dir home/work --aot-list old >out 2>&1 || fail "relink: $(cat out)"
has 'relink' 'ahead of time: 1 ordinary unit of the list' out
has 'relink' '1 ordinary unit, lazy' out
"$B/bin/ckjit-build" explain home >out
has 'explain' 'libunits.so: compiled ahead of time, as --aot-list asks' out
rm -r cache
mv home/work/.units gone
CK_JIT_ON_MISS=error run ./main a0 a1 b0 >got 2>err || fail "ahead: $(cat err)"
is 'ahead of time' 'a0 0 a1 0 b0 98 ' "$(tr '\n' ' ' <got)"
mv gone home/work/.units
"$B/bin/ckjit-build" relink --tmp-dir home/work --aot-list list >out 2>&1 || fail "relink of both: $(cat out)"
has 'relink of both' 'ahead of time: 2 ordinary units of the list' out
echo a-000000000000.0000000000000000 >none
"$B/bin/ckjit-build" relink --tmp-dir home/work --aot-list none >out 2>&1 && fail 'relink: an unknown kernel'
has 'an unknown kernel' "unknown kernel 'a-000000000000.0000000000000000'" out
"$B/bin/ckjit-build" relink --tmp-dir home/work >out 2>&1 || fail "relink of none: $(cat out)"
has 'relink of none' '2 ordinary units, lazy' out
