#!/bin/sh
# An install tree has the fragments' sources and lists with it: the kernels are compiled from it when the build is gone, and
# from a library that was copied elsewhere with the lists that are in it.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
mkdir src
cp hip.h src/
cd src
export CK_JIT_BASE="$T/src"
matrix
cd "$T"
# what was built is installed: a source that is gone by now, and one that is another
rm src/cube.cu
echo '#error later' >>src/entry_1.cu
"$B/bin/ckjit-build" quick --tmp-dir "$work" --install-dir "$T/i" >out 2>&1 || fail "no install: $(cat out)"
for f in entry_1.cu cube.cu odd.cu device.hpp hip.h; do
  [ -f "i/ck_jit/$f" ] || fail "no $f in the install tree: $(find i -type f)"
done
mv src gone
mv "$work" gone-work
reset
is 'from the install tree' 111 "$(calls i/libm.so 111)"
is 'compiled there' 'cube.o entry_1.o odd.o ' "$(made object)"
mkdir elsewhere
mv i/libm.so elsewhere/
rm -r i/ck_jit/ck_jit_inputs
reset
is 'from a library elsewhere' 101 "$(CK_JIT_ROOT=$T/i/ck_jit calls elsewhere/libm.so 101)"
is 'compiled then' 'square.o ' "$(made object)"
# what the lists in it say still holds
echo '// later' >>i/ck_jit/all.cu
! CK_JIT_ROOT=$T/i/ck_jit calls elsewhere/libm.so 100 >/dev/null 2>err || fail 'a changed source went unnoticed'
grep -q 'fragment all: all: not compiled: .*all.cu was changed' err || fail "$(cat err)"
