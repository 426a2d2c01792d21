#!/bin/sh
# A fragment's header that was changed after the link is not compiled under the key that the link
# made: the call says which file. Of a fragment's source, changed or gone, the text of the link is
# compiled. What does not need it is compiled as before.
# tier: all
# seconds: 9
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
export CK_JIT_BASE="$T"
matrix
cp cube.cu cube.good
echo '#error later' >>cube.cu
kept=$(find . -name ck_jit_sources)
mv "$kept" kept
! calls libm.so 110 >/dev/null 2>err || fail 'a changed source went unnoticed'
grep -q "entry_1+cube+all: it needs the fragment cube: cube: not compiled: $T/cube.cu was changed since" err || fail "$(cat err)"
is 'a kernel without it' 100 "$(calls libm.so 100)"
mv kept "$kept"
is 'by the kept text' 110 "$(calls libm.so 110)"
rm -rf cache cube.cu
is 'by the kept text, without the source' 110 "$(calls libm.so 110)"
cp cube.good cube.cu
is 'as it was again' 110 "$(calls libm.so 110)"
echo '#define LATER' >>device.hpp
! calls libm.so 201 >/dev/null 2>err || fail 'a changed header went unnoticed'
grep -q "$T/device.hpp was changed since the library was linked" err || fail "$(cat err)"
is 'what is in the cache' 110 "$(calls libm.so 110)"
