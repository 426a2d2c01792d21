#!/bin/sh
# In a home with units=lazy an ordinary unit of HIP with kernels is compiled without them, by ckjit-unit. Its object has the record and its depfile is
# the compiler's. What is no such unit, and whatever fails or is not understood, is the real compiler's with the untouched call.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/hip_words_fixture.sh"
need readelf objcopy mkfifo
hipcc() {
  : >calls
  "$T/h/bin/hipcc" "$@"
}
kind() { kinds h | tail -n 1; }
# stock WHAT WORDS…: the real compiler gets just this call
stock() {
  what=$1
  shift
  hipcc "$@" || fail "$what: ends with status $?"
  [ "$(kind)" = host ] || fail "$what: recorded as $(kind)"
  [ "$(cat calls)" = "$*" ] || fail "$what: the compiler was called so: $(cat calls)"
}
# given_up WHAT WORDS…: the same, after something was tried. $status is the call's
given_up() {
  what=$1 status=0
  shift
  CK_JIT_VERBOSE=1 hipcc "$@" 2>err || status=$?
  [ "$(kind)" = host ] || fail "$what: recorded as $(kind)"
  [ "$(tail -n 1 calls)" = "$*" ] || fail "$what: the compiler was called so: $(cat calls)"
  [ -z "$(ls h/wdir/.units/.making 2>/dev/null)" ] || fail "$what: something is left: $(ls h/wdir/.units/.making)"
}

echo '#define SCALE 3' >scale.h
cat >u.hip <<'C'
#include "scale.h"
__attribute__((global)) void k(int *p) { *p = SCALE; }
int op(int *p) { return *p; }
C
arch=--offload-arch=gfx942

# the unit, its object, depfile, record and text
hipcc $arch --offload-arch=gfx90a -DX=1 -O2 -MD -MP -c u.hip -o u.o || fail "ends with status $?"
[ "$(kind)" = unit ] || fail "recorded as $(kind): $(cat calls)"
lacks 'the whole unit was compiled as well' '-c u.hip' calls
record=$(tail -n 1 h/wdir/manifest.json.ndjson)
objcopy -O binary --only-section=.ckjit.record --set-section-flags .ckjit.record=alloc u.o record
[ "$(sed 's/"source_text":".*","archs"/"archs"/' record)" = "$record" ] || fail "another record: $(cat record)"
grep -q '"source_text":"' record || fail "without the text of its source: $(cat record)"
for part in '"stem":"u","source":"'"$T"'/u.hip","output":"'"$T"'/u.o"' '"rule":"unit"' '"archs":["gfx942","gfx90a"]' '"args":["--offload-arch=gfx942",'; do
  case $record in *"$part"*) ;; *) fail "no $part: $record" ;; esac
done
case $record in *'"device":["-O2",'*) ;; *) fail "device's words: $record" ;; esac
text=$(echo "$record" | sed 's/.*"device_text":"\([^"]*\)".*/\1/')
[ "$(sed -n 's/^\(gfx[0-9a-z]*\) .*/\1/p' "$text" | tr '\n' ' ')" = 'gfx942 gfx90a ' ] || fail "its text: $(head -c 200 "$text")"
readelf -sW u.o | grep -q 'UND recorded_by_ckjit' || fail 'its object can be linked without ckjit'
g++ -Wno-attributes -x c++ -MD -MP -c u.hip -o stock.o
sed 's/^stock\.o/u.o/' stock.d | cmp - u.d || fail "its depfile: $(cat u.d)"

# of the host's side what a compiler says is said; a kernel's own variables do not seem unused
printf '#warning told\n__attribute__((global)) void k(int *p) { *p = 1; }\n' >w.hip
hipcc $arch -Wall -Wextra -c w.hip -o w.o 2>err || fail 'a warning is no error'
[ "$(kind)" = unit ] || fail "with a warning: recorded as $(kind)"
grep -q 'told' err || fail "no warning: $(cat err)"
lacks 'what only a kernel uses' unused err

# how a fat binary is packed, which CK's CMake says, and by which driver, concerns the host's pass alone; clang says of it that it is unused elsewhere
hipcc $arch --offload-compress --offload-compression-level=3 --offload-new-driver -O2 -c u.hip -o u.o || fail "packed: ends with status $?"
[ "$(kind)" = unit ] || fail "packed: recorded as $(kind): $(cat calls)"
[ "$(grep -c -e '--offload-compress --offload-compression-level=3 --offload-new-driver' calls)" = 1 ] && grep -e --offload-compress calls | grep -q -e '-c .* -o' ||
  fail "packed: the compiler was called so: $(cat calls)"
grep -e --offload-compress calls | lacks 'packed, without a compile' ' -E ' -
case $(tail -n 1 h/wdir/manifest.json.ndjson) in *'"device":["-O2",'*) ;; *) fail "packed: device's words: $(tail -n 1 h/wdir/manifest.json.ndjson)" ;; esac

# switched off and on
CK_JIT_UNITS=0 stock 'CK_JIT_UNITS=0' $arch -c u.hip -o u.o
sed -i /^units=/d h/ckjit.conf
CK_JIT_UNITS='' stock 'another home' $arch -c u.hip -o u.o
CK_JIT_UNITS=build hipcc $arch -c u.hip -o u.o
[ "$(kind)" = unit ] || fail "CK_JIT_UNITS=build: recorded as $(kind)"
echo units=lazy >>h/ckjit.conf

# calls that are the compiler's at once
stock 'several languages' $arch -x c++ -c u.hip -o u.o
stock 'device code for a link' $arch -fgpu-rdc -fsanitize=undefined -c u.hip -o u.o
stock 'other outputs' $arch -save-temps -c u.hip -o u.o
cp /bin/sh ccache
./ccache -c '"$0" "$@"; exit $?' "$T/h/bin/hipcc" $arch -c u.hip -o u.o
[ "$(kind)" = unit ] || fail "behind a launcher: recorded as $(kind)"
echo no=u.* >>h/ckjit.conf
stock 'the profile says so' $arch -c u.hip -o u.o
sed -i '/^no=/d' h/ckjit.conf
# and calls that ckjit-unit gives back
given_up 'no architecture' -c u.hip -o u.o
grep -q 'note: u.hip: not lazy: the call names no architecture' err || fail "no architecture: $(cat err)"
given_up 'a list of them' --offload-arch=gfx942,gfx90a -c u.hip -o u.o
given_up 'words for the front end' $arch -Xclang -w -c u.hip -o u.o
given_up 'other text' $arch -P -c u.hip -o u.o
given_up "the compiler's command in the object" $arch -frecord-gcc-switches -c u.hip -o u.o
given_up 'the source in the object' $arch -g -gembed-source -c u.hip -o u.o
given_up 'remarks of the passes of devices' $arch -Rpass-analysis=kernel-resource-usage -c u.hip -o u.o
ln -s elsewhere.o link.o
given_up 'a symbolic link' $arch -c u.hip -o link.o
[ -L link.o ] || fail 'the symbolic link is gone'
echo 'int op() { return 1; }' >host.hip
given_up 'no kernels' $arch -c host.hip -o host.o
[ "$(wc -l <calls)" = 1 ] || fail "no kernels: the compiler was called so: $(cat calls)"
# a header that only speaks of kernels, as HIP's do, has none; one that a conditional takes out is found out by the preprocessor
printf '#define __global__ __attribute__((global))\n/* or\n * __global__ */ // __global__\nstatic const char *const m = "a __global__ function";\n' >told.h
printf '#include "told.h"\nint op() { return *m; }\n' >host.hip
given_up 'kernels are told of' $arch -c host.hip -o host.o
[ "$(wc -l <calls)" = 1 ] || fail "kernels are told of: the compiler was called so: $(cat calls)"
printf '#include "told.h"\n#if 0\n__global__ void k();\n#endif\n' >part.h
printf '#include "part.h"\nint op() { return *m; }\n' >host.hip
given_up 'no kernels after all' $arch -c host.hip -o host.o
grep -q 'not lazy: it has no kernels' err && [ "$(wc -l <calls)" = 2 ] || fail "no kernels after all: $(cat err calls)"
printf '#include "told.h"\n  __global__ void k() {}\n' >part.h
hipcc $arch -c host.hip -o host.o
[ "$(kind)" = unit ] || fail "a kernel of a header: recorded as $(kind)"
printf '__attribute__((global)) void k() {}\nint op() { return missing; }\n' >bad.hip
given_up 'an error' $arch -c bad.hip -o bad.o
[ "$status" = 1 ] && grep -q 'missing' err && [ ! -e bad.o ] || fail "an error: status $status, $(cat err)"
given_up 'no source to preprocess' $arch -include gone.h -c u.hip -o gone.o
[ "$status" = 1 ] && [ ! -e gone.o ] || fail "a header that is gone: status $status"
echo '[ -e edited ] || { echo >>scale.h; : >edited; }' >during
given_up 'a header that is edited meanwhile' $arch -c u.hip -o edited.o
grep -q 'scale.h has changed just now' err || fail "a header that is edited meanwhile: $(cat err)"
[ "$status" = 0 ] && [ -e edited.o ] || fail "a header that is edited meanwhile: status $status"

# ended meanwhile: nothing is left that a build would believe, and the next call is whole
mkfifo held
echo 'echo $$ >began; read -r line <held' >during
for signal in TERM KILL; do
  rm -f began
  "$T/h/bin/hipcc" $arch -MD -c u.hip -o ended.o 2>/dev/null &
  pid=$!
  await 'the preprocessor' test -s began
  kill -$signal $pid
  wait $pid && fail "$signal: ends with status 0"
  [ ! -e ended.o ] && [ ! -e ended.d ] || fail "$signal: an object or a depfile is left"
  [ $signal = KILL ] || [ -z "$(ls h/wdir/.units/.making)" ] || fail "$signal: something is left"
  [ $signal = TERM ] || kill -KILL "$(cat began)" # its child, which would write once more
done
rm during
[ -n "$(ls h/wdir/.units/.making)" ] || fail 'KILL leaves nothing?'
hipcc $arch -c u.hip -o ended.o
[ "$(kind)" = unit ] && [ -e ended.o ] || fail "after that: recorded as $(kind)"
[ -z "$(ls h/wdir/.units/.making)" ] || fail 'what was left is still there'
# but not what another process is at
echo 'echo $$ >began; read -r line <held' >during
rm -f began
"$T/h/bin/hipcc" $arch -c u.hip -o ended.o &
pid=$!
await 'the preprocessor' test -s began
rm during
hipcc $arch -c w.hip -o w.o 2>err && [ "$(kind)" = unit ] || fail "beside another: recorded as $(kind)"
echo >held
wait $pid || fail "beside another: ends with status $?"
[ "$(kind)" = unit ] || fail "beside another: recorded as $(kind)"

# why a unit is none is in the log
explain() { "$B/bin/ckjit-build" explain h "$@" >explained || fail "explain $*: status $?"; }
given_up 'words for the front end' $arch -Xclang -w -c u.hip -o front.o
stock 'device code for a link' $arch -fsanitize=undefined -c u.hip -o rdc.o
explain
has 'explain: a unit' 'ordinary unit: its host side is compiled' explained
has 'explain: refused by ckjit-unit' '    as an ordinary unit it is not lazy: -Xclang is among its options' explained
has 'explain: refused by the wrapper' '    as an ordinary unit it is not lazy: -fsanitize=undefined is among its options' explained
has 'explain: the summary' '      1  -Xclang is among its options' explained
explain --json
has 'explain --json' '"not_lazy":"-Xclang is among its options"' explained
(cd "$T" && "$B/bin/ckjit-build" explain -- "$T/h/bin/hipcc" $arch -c u.hip -o u.o >explained)
has 'explain of a command' 'u.hip: unit: it is an ordinary unit' explained
