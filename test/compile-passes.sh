#!/bin/sh
# Passes side by side make the very code that the plain command makes: the same device code, host code, symbols, needed
# libraries and build id, also for two architectures and with a header that has no guard. So does a compile behind a launcher; and
# the id that clang gives a unit, which some of its versions write into the code, is the same by every road.
# tier: check
# seconds: 14
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
printf 'inline int unguarded() { return 1; }\nstatic int counted = __COUNTER__;\n' >"$T/unguarded.h"
source_file "$T/a.cu" 1 '#include <string>
/* a comment
   of two lines */ #include "kernel.h" // another
#  include "unguarded.h"
static int one = __COUNTER__ + __LINE__ + counted;
int lines() { return one + __LINE__; }
const char *file() { return __FILE__; }'

# parts FILE: what must not differ
parts() {
  for section in .text .hip_fatbin .rodata .hipFatBinSegment; do
    objcopy -O binary -j "$section" "$1" "$T/section"
    echo "$section $(cksum <"$T/section")"
  done
  nm -D "$1"
  readelf -nd "$1" | grep -e 'Build ID' -e NEEDED -e SYMBOLIC
}

# what clang takes for the id, each time that it is called
real=$hipcc
mkdir "$T/bin"
cat >"$T/bin/hipcc" <<END
#!/bin/sh
"$real" '-###' "\$@" 2>&1 | sed -n 's/.* "\(-cuid=[^"]*\)".*/\1/p' >>"$T/ids"
exec "$real" "\$@"
END
chmod +x "$T/bin/hipcc"

for arch in gfx90a 'gfx90a;gfx908'; do
  CK_JIT_PCH=0 compile a --arch "$arch" || fail "$(cat "$T/a.said")"
  lacks 'CK_JIT_PCH=0 is not heeded' 'parallel passes' "$T/a.said"
  [ -e "$T/c/.pch" ] && [ "$arch" = gfx90a ] && fail 'CK_JIT_PCH=0 leaves precompiled headers'
  parts "$T/c/a.so" >"$T/plain"
  hipcc=$T/bin/hipcc
  compile a --arch "$arch" || fail "$(cat "$T/a.said")"
  said a 'parallel passes; precompiled headers: '
  said a ', 0 passes without'
  parts "$T/c/a.so" >"$T/passes"
  cmp "$T/plain" "$T/passes" || fail "$arch: $(diff "$T/plain" "$T/passes")"
done
said a '1 made, 2 found' # the second architecture's
CK_JIT_COMPILER_LAUNCHER="env" compile a --arch "$arch" || fail "$(cat "$T/a.said")"
lacks 'the launcher is not used' 'compiled again without' "$T/a.said"
parts "$T/c/a.so" >"$T/launched"
# a launcher compiles and links apart: what comes of the linker's order is not compared
for line in '^.hip_fatbin' 'Build ID' ' [DBRTV] '; do
  grep -e "$line" "$T/plain" | cut -c 18- | sort >"$T/want"
  grep -e "$line" "$T/launched" | cut -c 18- | sort >"$T/got"
  cmp "$T/want" "$T/got" || fail "behind a launcher: $(diff "$T/want" "$T/got")"
done
hipcc=$real
[ "$(sort -u "$T/ids" | wc -l)" = 1 ] || fail "not one id: $(sort "$T/ids" | uniq -c)"
[ "$(wc -l <"$T/ids")" -ge 9 ] || fail "an id of every pass was expected: $(cat "$T/ids")"

# the library's own choice stays
hipcc=$T/bin/hipcc
: >"$T/ids"
FLAGS='-O1 -cuid=mine' compile a || fail "$(cat "$T/a.said")"
[ "$(sort -u "$T/ids")" = -cuid=mine ] || fail "not the library's own id: $(sort "$T/ids" | uniq -c)"
hipcc=$real

grep -q 'Build ID: [0-9a-f]\{56\}$' "$T/passes" || fail "not linked as it should be: $(cat "$T/passes")"

# without device code: there is no fat binary to put into the host's object
cp "$T/a.cu" "$T/kernel.cu"
sed -i '/__global__/d; s/kernel<<<.*;/*p = 7;/' "$T/a.cu"
CK_JIT_PCH=0 compile a || fail "$(cat "$T/a.said")"
parts "$T/c/a.so" >"$T/plain-host" 2>&1
compile a || fail "$(cat "$T/a.said")"
said a 'parallel passes; precompiled headers: 0 made, 2 found'
parts "$T/c/a.so" >"$T/passes-host" 2>&1
readelf -SW "$T/c/a.so" | lacks 'a unit without device code' hip_fatbin -
cmp "$T/plain-host" "$T/passes-host" || fail "without device code: $(diff "$T/plain-host" "$T/passes-host")"
cp "$T/kernel.cu" "$T/a.cu"

# The comparison can tell: other flags give other code.
FLAGS='-O1 -DVALUE=5 -Wno-macro-redefined' CK_JIT_PCH=0 compile a || fail "$(cat "$T/a.said")"
parts "$T/c/a.so" >"$T/other"
cmp -s "$T/plain" "$T/other" && fail 'other flags, and no difference'
[ -z "$(find "$T/c" -name '.tmp-*')" ] || fail 'something temporary is left'
