#!/bin/sh
# AArch64: who sees a function's address in a slot sees all that was written before. What the compilers make of the runtime's store, gcc and clang at -O1 to -O3, and
# what the stub loads with, are taken from the machine code, and Arm's model of memory is asked about them, execution by execution (unit/litmus.py). A plain
# load in the stub is found, and a plain store behind a plain load in the runtime.
# tier: long
# seconds: 20
. "${0%/*}/common.sh"
CROSS=aarch64
. "${0%/*}/unit/runtime_fixture.sh"
need clang python3 aarch64-linux-gnu-objdump
python3 "$unit/litmus.py" known >"$T/known" || fail "the model: $(cat "$T/known")"
dir=$T/lib key=1 flags=-O1
mkdir -p "$dir/ck_jit/src"
echo 'int f(int x) { return x; }' >"$dir/ck_jit/src/f.cu"
echo '{root}/src/f.cu _Z1fi' >"$dir/symbols"
cp "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile"
link_library

# code OBJECT FUNCTION: its instructions, a line each
code() {
  aarch64-linux-gnu-objdump -d --no-show-raw-insn "$1" | awk -v f="<$2>:" '$2 == f { on = 1; next } !NF { on = 0 } on { sub(/^[^:]*:[ \t]*/, ""); print }'
}
# store OBJECT: how ckjit_fill writes the slot; what it writes beside it is the table of slots, which the mutex guards
store() {
  code "$1" ckjit_fill | sed -nE 's/^(stlr|str)\tx.*/\1/p' | sort | head -n 1
}
# load OBJECT FUNCTION: how the register was read that it jumps through or that is compared with zero first
load() {
  code "$1" "$2" | awk '$1 ~ /^(ldr|ldar|ldapr)$/ { how[$2] = $1 } $1 == "cbz" || $1 == "cbnz" { print how[$2]; exit }'
}
# acquire OBJECT: how ckjit_loaded reads the handle. Of several loads of 64 bits it is the acquiring one, if there is any.
acquire() {
  code "$1" ckjit_loaded | sed -nE 's/^(ldar|ldapr)\tx.*/\1/p' | sort -u | grep . || echo ldr
}
# release OBJECT: how ckjit_enter writes it: a compare and exchange, a pair of instructions or a function of libgcc's
release() {
  code "$1" ckjit_enter | grep -qE 'stlxr|casal?l?|__aarch64_cas8_(acq_)?rel' && echo stlr || echo str
}
# ask OBJECT STUBS: what the model says
ask() {
  python3 "$unit/litmus.py" publish "$(store "$1")" "$(acquire "$1")" "$(release "$1")" "$(load "$2" _Z1fi)"
}
# as it is, but that its functions can be told apart
cp -r "$top/runtime" "$T/runtime"
sed -i -E 's/^(void ckjit_fill|void \*ckjit_loaded|bool ckjit_enter)\(/__attribute__((noinline, used)) &/' "$T/runtime/ck_jit_table.c"
is "functions told apart" 3 "$(grep -c noinline "$T/runtime/ck_jit_table.c")"
# runtime COMMAND…: compiled so
runtime() {
  "$@" -w -fPIC -fvisibility=hidden -fexceptions -I"$dir" -I"$top/abi" -c "$T/runtime/ck_jit_runtime.c" -o "$T/runtime.o"
}
is "a stub's load" ldar "$(load "$dir/stubs.o" _Z1fi)"
# and that of the stubs that the link writes
printf '#include "ck_jit_machine.h"\n#include <stdio.h>\nint main(void) { fwrite(ckjit_aarch64.stub.bytes, 1, ckjit_aarch64.stub.code, stdout); }\n' >"$T/form.c"
gcc -I"$top/abi" "$T/form.c" -o "$T/form"
"$T/form" >"$T/form.bin"
aarch64-linux-gnu-objdump -D -b binary -m aarch64 "$T/form.bin" | grep -q 'ldar.*x17, \[x16\]' || fail "the link's stubs have another load"
for compiler in aarch64-linux-gnu-gcc 'clang --target=aarch64-linux-gnu'; do
  for level in 1 2 3; do
    # shellcheck disable=SC2086 # words
    runtime $compiler -O$level
    what="$compiler -O$level: store $(store "$T/runtime.o"), handle $(acquire "$T/runtime.o") and $(release "$T/runtime.o")"
    is "$what" forbidden "$(ask "$T/runtime.o" "$dir/stubs.o")"
    echo "$what"
  done
done

# what is weaker is found
sed 's/ldar x17/ldr x17/' "$dir/stubs.s" >"$T/weak.s"
aarch64-linux-gnu-gcc -c "$T/weak.s" -o "$T/weak.o"
is "a stub with a plain load" 'ldr allowed' "$(load "$T/weak.o" _Z1fi) $(ask "$T/runtime.o" "$T/weak.o")"
sed -i 's/__atomic_store_n(&slots\[index\], address, __ATOMIC_RELEASE)/__atomic_store_n(\&slots[index], address, __ATOMIC_RELAXED)/' "$T/runtime/ck_jit_table.c"
sed -i 's/&ckjit_blob_states\[blob].handle, __ATOMIC_ACQUIRE/\&ckjit_blob_states[blob].handle, __ATOMIC_RELAXED/' "$T/runtime/ck_jit_table.c"
runtime aarch64-linux-gnu-gcc -O2
is "a plain store behind a plain load" 'str ldr allowed' "$(store "$T/runtime.o") $(acquire "$T/runtime.o") $(ask "$T/runtime.o" "$dir/stubs.o")"
