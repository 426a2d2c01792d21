#!/bin/sh
# export --host-target: an object for another host, alone and joined, with the device code of the library's own; of CUDA a shared object, too.
# What has no host side, and a machine that ckjit does not know, is refused.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
need aarch64-linux-gnu-g++
host_of() { "$B/bin/ckjit" export "$@" 2>"$T/err" >"$T/files"; }
# machine NAME FILE: of which machine it is, and the function of k64
machine() {
  readelf -hW "$2" | grep -q "Machine: .*$1" || fail "$2: $(readelf -hW "$2" | grep Machine)"
  readelf -sW "$2" | grep -q 'FUNC  *GLOBAL DEFAULT .*demo8forward_.*ILi64E' || fail "$2: $(readelf -sW "$2")"
}
# code SECTION FILE: that section's bytes
code() {
  objcopy --dump-section "$1=$T/code" "$2" "$T/copy" 2>/dev/null || aarch64-linux-gnu-objcopy --dump-section "$1=$T/code" "$2" "$T/copy" || fail "no $1 in $2"
  sha256sum <"$T/code"
}
(
  . "$here/unit/export_fixture.sh"
  host_of k64 --format obj --arch "$arch" --output "$T/own.o" || fail "$(cat "$T/err")"
  host_of k64 --format obj --arch "$arch" --host-target linux-aarch64 --output "$T/other.o" || fail "$(cat "$T/err")"
  machine X86-64 "$T/own.o"
  machine AArch64 "$T/other.o"
  is 'device code' "$(code .hip_fatbin "$T/own.o")" "$(code .hip_fatbin "$T/other.o")"
  host_of k64 k128 --format obj --arch "$arch" --host-target linux-aarch64 --output "$T/both.o" || fail "$(cat "$T/err")"
  machine AArch64 "$T/both.o"
  readelf -sW "$T/both.o" | grep -q 'demo8forward_.*ILi128E' || fail 'only one of two'
  # refused WORDS OPTION…
  refused() {
    words=$1
    shift
    host_of k64 --output "$T/refused" "$@" && fail "$* is no error"
    grep -q "$words" "$T/err" && [ ! -e "$T/refused" ] || fail "$*: $(cat "$T/err")"
  }
  refused "export: --host-target 'linux-m68k': expected linux-aarch64 or linux-x86_64" --format obj --host-target linux-m68k
  refused "export: --host-target 'aarch64': expected linux-" --format obj --host-target aarch64
  refused 'export: --host-target is for so and obj; asm has no code for a host' --format asm --arch "$arch" --host-target linux-aarch64
) || exit $?

rm -rf "$T/out"
. "$here/unit/export_cuda_fixture.sh"
sbsa=$("$here/toolchain/nvcc-aarch64" "$B/toolchain/cuda-aarch64" 2>"$T/sbsa.log") || skip "no CUDA for sbsa: $(tail -n 1 "$T/sbsa.log")"
export CK_JIT_NVCC="$sbsa/bin/nvcc"
host_of k64 k128 --format so --arch sm_90 --host-target linux-aarch64 --output "$T/cuda.so" || fail "$(cat "$T/err")"
machine AArch64 "$T/cuda.so"
host_of k64 --format obj --arch sm_90 --host-target linux-aarch64 --output "$T/cuda.o" || fail "$(cat "$T/err")"
machine AArch64 "$T/cuda.o"
