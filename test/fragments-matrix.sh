#!/bin/sh
# Two kernels, two distances, two filters: eight combinations of six objects. Each object is compiled once, each kernel
# linked once, of those it needs; the code object has the kernel, its device functions, and nothing open. Editing a filter
# compiles that fragment, and links the four kernels that have it.
# tier: all
# seconds: 14
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
summary '2 blobs are lazy (8 functions in 1 unit), 0 compiled ahead of time'
summary '4 fragments, 2 blobs that may need them, 8 combinations'
manifest=$work/libm/ck_jit_manifest.json
is 'the names of the kernels' 8 "$("$prebuild" list --manifest "$manifest" | grep -c '^entry_[12]+\(square\|cube\)+\(all\|odd\)$')"

reset
is 'one call' 111 "$(calls libm.so 111)"
is 'compiled for it' 'cube.o entry_1.o odd.o ' "$(made object)"
is 'linked for it' 'entry_1+cube+odd.so ' "$(made link)"
# shellcheck disable=SC2086 # a list
is 'all calls' "$numbers" "$(calls libm.so $numbers | tr '\n' ' ' | sed 's/ $//')"
is 'objects of 8 combinations' 6 "$(count object)"
is 'links' 8 "$(count link)"
reset
# shellcheck disable=SC2086 # a list
calls libm.so $numbers >got
is 'made for another process' '' "$(cat made)"

has() { grep -q "$1" device.symbols || fail "$2: no $1 in $(cat device.symbols)"; }
for t in 1 2; do
  for d in square cube; do
    for f in all odd; do
      name=entry_$t+$d+$f
      device "cache/$name.so"
      readelf -hW device.co | grep -q 'Machine:.*AMD' || fail "$name: no code object"
      has "OBJECT .* _Z6kernelILi${t}EEvPi\.kd$" $name
      has "FUNC .* _Z6kernelILi${t}EEvPi$" $name
      has "FUNC .* _Z8distanceILi${t}EEii$" $name
      has 'FUNC .* _Z4keepi$' $name
      lacks $name '_Z8distanceILi'$((3 - t)) device.symbols
      is "$name: undefined symbols" '' "$(awk '$7 == "UND" && $8' device.symbols)"
      "$llvm/llvm-objdump" -d device.co >$name.code
    done
  done
done
# its functions are those of the combination
code() { sed -n "/<$2>:/,/s_setpc_b64/p" "$1.code" | sed -n 's/^\t\([a-z].*[^ ]\) *\/\/.*/\1/p'; }
is 'keep of one filter' "$(code entry_1+square+odd _Z4keepi)" "$(code entry_1+cube+odd _Z4keepi)"
[ "$(code entry_1+square+odd _Z4keepi)" != "$(code entry_1+square+all _Z4keepi)" ] || fail 'both filters are the same code'
[ "$(code entry_1+square+odd _Z8distanceILi1EEii)" != "$(code entry_1+cube+odd _Z8distanceILi1EEii)" ] ||
  fail 'both distances are the same code'

sed -i 's/x&1/x\&3/' odd.cu
unit odd
# shellcheck disable=SC2086 # a list
link libm.so $objects
reset
# shellcheck disable=SC2086 # a list
calls libm.so $numbers >again
cmp -s got again || fail 'other results after the edit'
is 'compiled after the edit' 'odd.o ' "$(made object)"
is 'linked after the edit' 'entry_1+cube+odd.so entry_1+square+odd.so entry_2+cube+odd.so entry_2+square+odd.so ' "$(made link)"
