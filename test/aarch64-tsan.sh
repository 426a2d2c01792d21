#!/bin/sh
# ThreadSanitizer and pointer authentication together, on AArch64: many first calls of two blobs at once, and exceptions that leave by
# frames whose return addresses are signed. ThreadSanitizer starts a program anew to have addresses that are not at random, which qemu-user cannot do, so
# they are not to begin with.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
need aarch64-linux-gnu-g++ aarch64-linux-gnu-objdump qemu-aarch64 setarch
CROSS=aarch64 QEMU_UNDER='setarch -R' QEMU_OPTIONS='-cpu max'
export CROSS QEMU_UNDER QEMU_OPTIONS
. "$here/unit/runtime_fixture.sh"
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
echo 'int main(void) { return 0; }' >"$T/t.c"
aarch64-linux-gnu-gcc -fsanitize=thread "$T/t.c" -o "$T/t" 2>/dev/null || skip "no ThreadSanitizer for AArch64 here"
emulated "$T/t"
"$T/t" >"$T/out" 2>&1 || skip "ThreadSanitizer does not start by qemu-user here: $(cat "$T/out")"
LIB_CFLAGS="-fsanitize=thread -mbranch-protection=standard" library lib
aarch64-linux-gnu-objdump -d --disassemble=ckjit_trampoline "$T/lib/libkernels.so" >"$T/trampoline"
has 'the trampoline signs nothing' paciasp "$T/trampoline"
"$T/lib/driver" threads 16 >"$T/out" 2>&1 || fail "threads: $(cat "$T/out")"
is "sum" $((16 * 2100)) "$(cat "$T/out")"
touch "$SHIM_FAIL"
rm -rf "$T/cache"
"$T/lib/driver" errors 16 >"$T/out" 2>&1 || fail "errors: $(cat "$T/out")"
has "errors" "16 threw" "$T/out"
