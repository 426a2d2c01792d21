#!/bin/sh
# export --format asm: assembler text that clang assembles and lld links to the code object that is exported directly.
# tier: all
# seconds: 17
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
assemble() { # SOURCE CODE-OBJECT
  "$llvm/clang" -target amdgcn-amd-amdhsa -mcpu=gfx90a -c "$1" -o "$T/asm.o" && "$llvm/ld.lld" -shared "$T/asm.o" -o "$2"
}
export_ k64 --format asm --output -
cp "$T/export.out" k64.s
grep -q "\.amdhsa_kernel $kentry64" k64.s || fail 'no kernel in the text'
assemble k64.s k64.co || fail 'it does not assemble'
export_ k64 --format code-object --output direct.co
same k64.co direct.co
"$llvm/llvm-readelf" -s k64.co | grep -q " $kentry64.kd" || fail 'no descriptor'

export_ k64 k128 --format asm --symbol $kentry128=kernel_128 --output both.s
assemble both.s both.co || fail 'both together do not assemble'
for s in $kentry64.kd kernel_128.kd; do
  "$llvm/llvm-readelf" -s both.co | grep -q " $s\$" || fail "no $s"
done
lacks 'the old name is there' $kentry128 both.s
