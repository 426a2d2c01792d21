#!/bin/sh
# Fragments and the other roads: one in an --aot-list stays lazy, and that is said; export refuses a kernel of fragments and says why;
# without a cache directory it is compiled all the same.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
manifest=$work/libm/ck_jit_manifest.json
name='entry_1+cube+odd'
! "$prebuild" export "$name" --manifest "$manifest" --arch gfx90a --format so --output x.so >out 2>&1 || fail 'exported'
grep -qF "entry_1: it is linked of fragments (-fgpu-rdc), which are not exported" out || fail "export: $(cat out)"
[ ! -e x.so ] || fail 'something was written'

is 'without a cache directory' 111 "$(CK_JIT_DISABLE_FILE_CACHING=1 calls libm.so 111)"
[ ! -e cache ] || fail "the cache directory has $(ls -A cache)"
CK_JIT_CAPTURE=$T/used calls libm.so 111 >/dev/null
grep -q "	$name\$" used || fail "captured: $(cat used)"
CK_JIT_HIPCC="$T/bin/hipcc" "$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list used >out 2>&1 || fail "relink: $(cat out)"
grep -qF "stays lazy: $name: it is linked of fragments (-fgpu-rdc)" out || fail "not said: $(cat out)"
grep -q '2 blobs are lazy' out || fail "relink: $(cat out)"
is 'lazy' 111 "$(calls libm.so 111)"
