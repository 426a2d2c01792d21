#!/bin/sh
# What ckjit starts and writes for some thirty small builds is what test/golden.d/record says: commands, numbers of programs, files of work
# and cache directories. A change of the record is to be looked at: test/golden shows it, and test/golden --update writes it anew.
# tier: all
# seconds: 240
. "${0%/*}/common.sh"
need python3 strace hipcc ccache zstd clang aarch64-linux-gnu-g++ qemu-aarch64
[ -z "${SANITIZER-}" ] || skip 'programs with a sanitizer have other variables'
strace -qq -o /dev/null true || skip 'strace cannot be used here'
[ "$(id -u)" != 0 ] || "$here/toolchain/hip7-root" "$B/toolchain/hip7" >"$T/hip7.log" 2>&1 || cat "$T/hip7.log"
status=0
TMPDIR=$T B=$B python3 "$here/golden" || status=$?
case $status in
0) ;;
77) skip 'the record is of other releases of all compilers' ;;
*) fail 'if each difference is meant: test/golden --update, and the reason in the commit' ;;
esac
