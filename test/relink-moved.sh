#!/bin/sh
# relink in a work directory that was moved, again and again, and back: as in its old place. With sources, objects and fake home in it,
# as a full build has them; and with a fake home around it. `explain` knows the units there.
# tier: long
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
link liba.so k1.o k2.o host.o
echo k1 >one
echo k2 >two
relink() { # relink WORK LIST N OTHER: kernel N is linked then, and the other is not
  "$B/bin/ckjit-build" relink --tmp-dir "$1" --aot-list "$2" --install-dir "$T/$5" >out 2>&1 || fail "relink in $1: $(cat out)"
  rm -rf cache
  [ "$(CK_JIT_HIPCC=/bin/false calls "$5/$6" "$3" | sed 's/ .*//; q')" = $((100 * $3 + 1)) ] || fail "in $1 kernel $3 is not linked"
  [ "$(CK_JIT_HIPCC=/bin/false calls "$5/$6" "$4" | sed 's/ .*//; q')" = -2 ] || fail "in $1 kernel $4 is linked"
  rm -rf cache
  right "$5/$6" 1 2
}

# all in the work directory
mkdir -p w/src
"$B/bin/ckjit-build" home --dir w/home --work w >exports 2>home.log || fail "no fake home: $(cat home.log)"
cp k1.cpp k2.cpp host.cpp api.hpp w/src
for name in k1 k2 host; do
  as_build hipcc -x c++ -fPIC -fvisibility=hidden "-I$T/w/src" -c "$T/w/src/$name.cpp" -o "$T/w/src/$name.o" || fail "$name: $(cat err)"
done
(cd w/src && CK_JIT_BASE="$T/w/src" as_build hipcc -shared -o "$T/w/src/libb.so" "$T/w/src/k1.o" k2.o host.o) || fail "link: $(cat err)"
relink w one 1 2 i libb.so
mv w moved
relink moved two 2 1 i libb.so
# what that link did is told of the units, which the log has by their old names
"$B/bin/ckjit-build" explain moved >out || fail "explain: $(cat out)"
grep -A 1 "^$T/w/src/k2.cpp:.* blob" out | grep -q '^    libb.so: compiled ahead of time, as --aot-list asks$' || fail "k2: $(cat out)"
grep -A 1 "^$T/w/src/k1.cpp:.* blob" out | grep -q '^    libb.so: lazy$' || fail "k1: $(cat out)"
"$B/bin/ckjit-build" explain moved libb.so --stock | grep -q '^# called as: ' || fail 'the link is not found'
relink moved one 1 2 i libb.so
mv moved again
relink again two 2 1 i libb.so
[ ! -e w ] && [ ! -e moved ] || fail 'an old place is there again'
mv again w
relink w two 2 1 i libb.so
"$B/bin/ckjit-build" quick --tmp-dir w --install-dir "$T/i" >out 2>&1 || fail "quick: $(cat out)"
right i/libb.so 1 2

# a fake home, moved with its work directory; the objects are elsewhere
mv home home2
"$B/bin/ckjit-build" relink --tmp-dir home2/work --aot-list two >out 2>&1 || fail "relink: $(cat out)"
rm -rf cache
[ "$(CK_JIT_HIPCC=/bin/false calls liba.so 2 | sed 's/ .*//; q')" = 201 ] || fail 'kernel 2 is not linked'
[ ! -e home ] || fail 'the old place is there again'
