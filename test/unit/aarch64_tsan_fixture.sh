# aarch64_tsan_fixture.sh - ThreadSanitizer and pointer authentication together, on AArch64: source it behind common.sh.
#
#   tsan NAME COMPILER…   of the compiler NAME, whose C is compiled by COMPILER…: it finds a race if there is one, and none in many first
#                         calls of two blobs at once, and in exceptions that leave by frames whose return addresses are signed
#
# ThreadSanitizer starts a program anew to have addresses that are not at random, which qemu-user cannot do, so they are not to begin with.
# shellcheck shell=sh disable=SC1091,SC2154
need aarch64-linux-gnu-g++ aarch64-linux-gnu-objdump qemu-aarch64 setarch
CROSS=aarch64 QEMU_UNDER='setarch -R' QEMU_OPTIONS='-cpu max'
export CROSS QEMU_UNDER QEMU_OPTIONS
. "$here/unit/runtime_fixture.sh"
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
cat >"$T/t.c" <<'END'
#include <pthread.h>
static int n;
static void *count(void *x) { return n++, x; }
int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, 0, count, argv);
  if (argc > 1) n++;
  return pthread_join(t, 0);
}
END

tsan() {
  name=$1
  shift
  "$@" -fsanitize=thread "$T/t.c" -o "$T/t" -pthread 2>/dev/null || skip "no ThreadSanitizer of $name's for AArch64 here"
  emulated "$T/t"
  "$T/t" >"$T/out" 2>&1 || skip "ThreadSanitizer of $name's does not start by qemu-user here: $(cat "$T/out")"
  "$T/t" race >"$T/out" 2>&1 && fail "$name: a race is not seen"
  has "$name: a race" 'data race' "$T/out"
  LIB_CFLAGS="-fsanitize=thread -mbranch-protection=standard" library lib
  aarch64-linux-gnu-objdump -d --disassemble=ckjit_trampoline "$T/lib/libkernels.so" >"$T/trampoline"
  has "$name: the trampoline signs nothing" paciasp "$T/trampoline"
  "$T/lib/driver" threads 16 >"$T/out" 2>&1 || fail "$name: threads: $(cat "$T/out")"
  is "$name: sum" $((16 * 2100)) "$(cat "$T/out")"
  touch "$SHIM_FAIL"
  rm -rf "$T/cache"
  "$T/lib/driver" errors 16 >"$T/out" 2>&1 || fail "$name: errors: $(cat "$T/out")"
  has "$name: errors" "16 threw" "$T/out"
}
