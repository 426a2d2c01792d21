#!/bin/sh
# Several processes want kernels that share fragments, all at once: each object is compiled once, each kernel linked once.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
pids=
for n in 100 101 110 101 100; do
  { calls libm.so "$n" >"got.$n" 2>&1 || cat "got.$n" >&2; } &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid" || fail 'a process failed'; done
for n in 100 101 110; do is "call $n" "$n" "$(cat got.$n)"; done
is 'objects' 'all.o cube.o entry_1.o odd.o square.o ' "$(made object)"
is 'links' 'entry_1+cube+all.so entry_1+square+all.so entry_1+square+odd.so ' "$(made link)"
# and by prebuild, two at a time, beside a process that calls
reset
"$prebuild" build --manifest "$work/libm/ck_jit_manifest.json" --arch gfx90a --all -j 2 >out 2>&1 &
pid=$!
# shellcheck disable=SC2086 # a list
is 'all calls' 8 "$(calls libm.so $numbers | wc -l)"
wait "$pid" || fail "prebuild: $(cat out)"
is 'objects of the rest' 'entry_2.o ' "$(made object)"
is 'links of the rest' 5 "$(count link)"
"$prebuild" build --manifest "$work/libm/ck_jit_manifest.json" --arch gfx90a --all >out 2>&1
grep -q '^0 compiled, 8 in the cache already, 0 failed' out || fail "prebuild finds no entries: $(cat out)"
