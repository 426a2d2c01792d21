#!/bin/sh
# A device function that no fragment defines is named, with the kernel that needs it; nothing is left in the cache, and the
# library linked with what was missing works.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
link libm.so host.o entry_1.o entry_2.o square.o all.o odd.o
summary '3 fragments, 2 blobs that may need them'
status=0
calls libm.so 110 >/dev/null 2>err || status=$?
is 'the status of a call that misses a fragment' 1 "$status"
grep -q 'entry_1+all: device functions are missing' err || fail "not said which kernel: $(cat err)"
grep -q '^entry_1 needs _Z8distanceILi1EEii$' err || fail "not said which function: $(cat err)"
grep -q 'ckjit help fragments' err || fail 'not said where to read on'
is 'an entry in the cache' '' "$(find cache -maxdepth 1 -name '*.so' -o -name '.tmp*')"
is 'the other kernel' 100 "$(calls libm.so 100)"
if "$prebuild" build --manifest "$work/libm/ck_jit_manifest.json" --arch gfx90a entry_2+odd >out 2>&1; then
  fail 'prebuild takes it'
fi
grep -q 'needs _Z8distanceILi2EEii' out || fail "prebuild does not say it: $(cat out)"
# shellcheck disable=SC2086 # a list
link libm.so $objects
is 'with what was missing' 110 "$(calls libm.so 110)"

# a fragment that does not compile: named, with the kernel that needs it and the compiler's words
sed -i 's/return Type/return undeclared * Type/' cube.cu
unit cube
# shellcheck disable=SC2086 # a list
link libm.so $objects
! calls libm.so 210 >/dev/null 2>err || fail 'a fragment that does not compile went unnoticed'
grep -q 'entry_2+cube+all: it needs the fragment cube: cube: the compiler failed' err || fail "$(cat err)"
grep -q "undeclared identifier 'undeclared'" err || fail "the compiler's words are missing: $(cat err)"
grep -q 'log: .*/cache/.logs/cube.log' err || fail "the log is not named: $(cat err)"
# what the preprocessor refuses fails at the link: the headers are read there
echo '#error broken on purpose' >>cube.cu
unit cube
# shellcheck disable=SC2086 # lists
! as_build hipcc $rdc --hip-link -shared -o libm.so $objects || fail 'linked with a source that cannot be read'
grep -q "cube.cu: the compiler ended with status" err && grep -q 'broken on purpose' err || fail "$(cat err)"
