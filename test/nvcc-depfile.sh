#!/bin/sh
# The depfile of a unit of nvcc's names what nvcc's own names, but for the toolkit's and the system's headers; it has the
# same target, and the name that nvcc gives it.
# tier: check
. "${0%/*}/common.sh"
need gcc
unit=$B/test/unit/nvccargs
need_nvcc
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CPATH CPLUS_INCLUDE_PATH
mkdir "$T/w" && cd "$T/w"
mkdir -p d inc sys 'o ut' host out
printf '#include "beside.h"\n#include <used.h>\n#ifdef __CUDA_ARCH__\n#include "device.h"\n#endif\n__global__ void k() {}\n' >d/x.cu
printf '#include <angled.h>\n#include "../inc/up.h"\n' >d/beside.h
for h in inc/used.h host/used.h inc/up.h inc/device.h sys/angled.h forced.h 'inc/a b.h'; do echo "// $h" >"$h"; done
printf '#include "inc/a b.h"\n' >'y z.cu'
"$nvcc" -c d/x.cu -Iinc -isystem sys -o probe.o >"$T/log" 2>&1 || skip "$nvcc does not compile here: $(tail -n 1 "$T/log")"

# the prerequisites of the first rule, one a line; ninja and make take ./x for x
prerequisites() {
  sed -e 's/\\ /\t/g' -e '/[^\\]$/q' "$1" | sed -e 's/^[^:]* *: //' -e 's/\\$//' | tr -s ' ' '\n' | sed -e 's,^\./,,' -e '/^$/d' \
    -e '/^\/usr\//d' -e '/\/bin\/\.\.\//d' | sort -u
}
target() { sed -e 's/ *: .*//' -e 's/\\ / /g' -e q "$1"; }

# same DEPFILE ARGS…: nvcc writes DEPFILE, and ours is as good
same() {
  depfile=$1
  shift
  rm -f "$depfile"
  "$nvcc" "$@" >"$T/log" 2>&1 || fail "nvcc $*: $(cat "$T/log")"
  [ -e "$depfile" ] || fail "nvcc $*: writes no $depfile"
  "$unit" --depfile "$@" >"$T/ours" || fail "$*: no depfile"
  prerequisites "$depfile" >"$T/want"
  prerequisites "$T/ours" >"$T/got"
  [ -s "$T/want" ] || fail "$*: nvcc's depfile is empty"
  missing=$(comm -23 "$T/want" "$T/got")
  [ -z "$missing" ] || fail "$*: missing $missing"
  [ "$(target "$T/ours")" = "$(target "$depfile")" ] || fail "$*: target '$(target "$T/ours")', of nvcc '$(target "$depfile")'"
  count=$((count + $(wc -l <"$T/want")))
}
count=0
same x.d -MD -c d/x.cu -Iinc -isystem sys
grep -q 'sys/angled.h' "$T/ours" || fail '-MD without what -isystem found'
same out/x.d -MMD -c d/x.cu -I=inc -isystem=sys -odir out
lacks '-MMD with what -isystem found' 'sys/angled.h' "$T/ours"
same 'o ut/k.cuda.d' -MD --include-path inc,host --system-include sys -include forced.h -c ./d/x.cu -o 'o ut/k.cuda.o'
same k.dep -MMD -MP -MF k.dep -MT 'out/k.o' -Iinc -Isys -c -x cu d/x.cu -o out/k.o
while read -r name; do
  [ "$name" = d/x.cu ] || grep -q "^$name:\$" "$T/ours" || fail "-MP without a rule for $name"
done <"$T/want"
# a directory of -Xcompiler is searched before those of nvcc's own
same x.d -MD -c d/x.cu -Iinc -Isys -Xcompiler "-I$T/w/host"
grep -q "$T/w/host/used.h" "$T/want" || fail 'nvcc has another order'
same 'y z.d' -MD -c 'y z.cu' -I.
[ "$count" -gt 15 ] || fail "only $count names compared"
