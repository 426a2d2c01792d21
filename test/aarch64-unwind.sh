#!/bin/sh
# AArch64: at each instruction of ckjit_trampoline, with SVE and without, gdb finds the caller of a first call by what describes its frame. By
# qemu-user's own server for gdb, one instruction after the other.
# tier: all
# seconds: 5
. "${0%/*}/common.sh"
CROSS=aarch64
need gdb-multiarch
. "${0%/*}/unit/runtime_fixture.sh"
dir=$T/lib key=1 flags="-O1 -I$T"
mkdir -p "$dir/ck_jit/src"
echo 'int stepped(int x) { return x + 1; }' >"$dir/ck_jit/src/stepped.cu"
echo 'int stepped(int x); int main() { return stepped(41) != 42; }' >"$T/main.cpp"
echo '{root}/src/stepped.cu _Z7steppedi' >"$dir/symbols"
cp "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile"
link_library
root=/usr/aarch64-linux-gnu/lib
"${cross}g++" -O0 -g "$T/main.cpp" -o "$dir/main" -L"$dir" -lkernels -Wl,-z,now -Wl,-rpath,"$dir" -Wl,--dynamic-linker=$root/ld-linux-aarch64.so.1
# walk PROCESSOR: what gdb says is in $T/walked
walk() {
  rm -rf "$T/cache"
  qemu-aarch64 -E LD_LIBRARY_PATH=$root -cpu "$1" -g "$T/gdb" "$dir/main" &
  await "qemu's server" test -S "$T/gdb"
  timeout 120 gdb-multiarch -nx -batch -ex "set sysroot /" -ex "file $dir/main" -ex "target remote $T/gdb" -ex 'python STUB, LINK = "stepped(int)", "$lr"' -x "$unit/unwound.py" >"$T/walked" 2>&1 || :
  wait $! || :
  rm -f "$T/gdb"
}
for processor in cortex-a72 max; do
  walk $processor
  lacks "frames on $processor" LOST "$T/walked"
  grep '^WALKED' "$T/walked" || fail "gdb has not come through: $(tail "$T/walked")"
done
# what it finds if the frame is not where its description says
mkdir "$T/abi"
grep -v 'cfi_def_cfa_register x29' "$top/abi/ck_jit_aarch64.h" >"$T/abi/ck_jit_aarch64.h"
LIB_CFLAGS="-iquote $T/abi" link_library
walk cortex-a72
grep -q 'LOST ckjit_trampoline' "$T/walked" || fail "a wrong description is not found: $(tail "$T/walked")"
