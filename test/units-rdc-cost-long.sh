#!/bin/sh
# What a generated library of HIP with -fgpu-rdc costs, for four architectures, with HIP 7.2.4: the build and its link against the regular
# ones, the first call of a unit that reaches ten, and of another. UNITS=N: so many, with six kernels each.
# tier: long
# serial
# seconds: 900
. "${0%/*}/common.sh"
cd "$T"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
export CKJIT_BIND="$here/.. $T $B"
"$here/toolchain/hip7-root" --run "$tools/hip7" python3 "$here/unit/rdc_cost.py" "$B" "$T" "${UNITS:-50}" >said 2>&1 || fail "$(cat said)"
cat said
# limit NAME MOST
limit() {
  found=$(awk -v name="$1" '$1 == name { print $2 }' said)
  awk -v found="$found" -v most="$2" 'BEGIN { exit !(found != "" && found <= most) }' || fail "$1: $found, expected at most $2"
}
limit build 0.05
limit further 10 # CPU-seconds, of six kernels
[ "${UNITS:-50}" -lt 50 ] || limit first 0.10 # of few units the regular link is short: docs/performance.md
