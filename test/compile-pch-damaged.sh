#!/bin/sh
# A precompiled header that is damaged, that somebody else could have written, or that cannot be made costs time, not the
# compile. A damaged one is replaced.
# tier: all
# seconds: 27
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
source_file "$T/a.cu" 1
compile a || fail "$(cat "$T/a.said")"

# again TEXT: the next compile says TEXT and is right, the one behind it finds both
again() {
  compile a || fail "$(cat "$T/a.said")"
  said a "$1"
  answer a 1001
  compile a || fail "$(cat "$T/a.said")"
  grep -q '2 found' "$T/a.said" || compile a || fail "$(cat "$T/a.said")"
  said a '0 made, 2 found'
}

for pch in "$T"/c/.pch/*.pch; do # cut short
  head -c 100000 "$pch" >"$T/cut" && cp "$T/cut" "$pch"
done
again '2 made'
for pch in "$T"/c/.pch/*.pch; do # of the same size, its start overwritten
  head -c 4096 /dev/zero | dd of="$pch" conv=notrunc status=none
done
again '2 made'
for list in "$T"/c/.pch/*.list; do
  echo nonsense >"$list"
done
again '2 made'
chmod g+w "$T"/c/.pch/*.pch
again '2 made'
rm "$T"/c/.pch/*.h
again 'no parallel passes: a step failed'

# no directory for them
rm -r "$T/c/.pch" && : >"$T/c/.pch"
compile a || fail "$(cat "$T/a.said")"
said a '0 made, 0 found, 2 passes without'
answer a 1001
rm "$T/c/.pch"

# a header that does not compile: the plain command says so
echo '#error broken' >>"$T/include/value.h"
compile a && fail 'it compiled'
said a 'error: broken'
[ -z "$(find "$T/c" -name '.tmp-*')" ] || fail 'something temporary is left'
[ -z "$(find "$T/c/.pch" -type f ! -name '*.h')" ] || fail 'a precompiled header of a wrong header'
