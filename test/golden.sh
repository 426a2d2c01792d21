#!/bin/sh
# For some small builds of each kind ckjit starts the commands and writes the files that
# test/golden.d/record lists. test/golden shows a difference, test/golden --update writes the record.
# tier: all
# seconds: 230
. "${0%/*}/common.sh"
need python3 strace hipcc ccache zstd clang aarch64-linux-gnu-g++ qemu-aarch64
[ -z "${SANITIZER-}" ] || skip 'programs with a sanitizer have other variables'
strace -qq -o /dev/null true || skip 'strace cannot be used here'
[ "$(id -u)" != 0 ] || "$here/toolchain/hip7-root" "$B/toolchain/hip7" >"$T/hip7.log" 2>&1 ||
  cat "$T/hip7.log"
status=0
TMPDIR=$T B=$B python3 "$here/golden" || status=$?
case $status in
0) ;;
77) skip 'the record is of other releases of all compilers' ;;
*) fail 'if each difference is meant: test/golden --update, and the reason in the commit' ;;
esac
