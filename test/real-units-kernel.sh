#!/bin/sh
# What units-kernel.sh says of one kernel of a lazy unit holds for HIP 7.2.4, too: its clang puts constants that the host writes among
# read-only data, and a byte of its own into each unit.
# tier: all
# seconds: 60
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" zstd || skip "no HIP 7.2.4 root with zstd can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
root=$(realpath "$tools/hip7") # the toolchain may be a link to one elsewhere
programs=$(realpath "$B")
# What it makes once a run is not the other compiler's.
mkdir "$T/tmp" "$T/b"
ln -s "$programs"/* "$T/b/"
rm -f "$T/b/test"
export CKJIT_BIND="$top $T $programs"
"$here/toolchain/hip7-root" --run "$root" env -u CKJIT_TEST_HIPCC TMPDIR="$T/tmp" UNITS_ARCH=gfx942 B="$T/b" "$top/test/units-kernel.sh" >"$T/out" 2>&1 ||
  fail "$(tail -n 30 "$T/out")"
