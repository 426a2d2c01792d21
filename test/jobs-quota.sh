#!/bin/sh
# A container with a CPU quota sees all processors of its host: ckjit starts no more compilers than
# the quota is worth. In a directory that stands for the machine's control groups, and in a real one
# where this machine lets one be made.
# tier: check
# seconds: 1
. "${0%/*}/common.sh"
unset CK_JIT_JOBS CK_JIT_JOB_MEMORY
pod=$T/root/sys/fs/cgroup/pod
mkdir -p "$T/root/proc/self" "$pod"
echo '0::/pod' >"$T/root/proc/self/cgroup"

# says TEXT: doctor's line of the processors, with the machine's groups below ROOT
says() {
  CK_JIT_MEMORY_ROOT=$root "$B/bin/ckjit-prebuild" doctor >"$T/all" 2>&1 || :
  grep '^ok *processors ' "$T/all" >"$T/out" || fail "no such line: $(cat "$T/all")"
  has "$root" "$1" "$T/out"
}
all=$(nproc)
one="  1 available to this process, by the CPU quota of its control group; ckjit starts"
root=$T/root
says "  $all available to this process; ckjit starts at most $all compiler"
echo '50000 100000' >"$pod/cpu.max"
[ "$all" = 1 ] || says "$one at most 1 compiler at once"
[ "$all" = 1 ] || MAX_JOBS=3 says "$one at most 3 compilers at once"
rm "$pod/cpu.max"
mkdir "$pod/cpu.max" # what cannot be read limits nothing
says "  $all available to this process; ckjit"

# a real one: version 2, else 1
root=
[ "$all" -gt 1 ] || exit 0
real=/sys/fs/cgroup/ckjit-test.$$
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  set -- cpu.max '100000 100000'
else
  real=/sys/fs/cgroup/cpu/ckjit-test.$$
  set -- cpu.cfs_quota_us 100000
fi
if ! mkdir "$real" 2>/dev/null || ! (echo "$2" >"$real/$1") 2>/dev/null ||
  ! (echo 0 >"$real/cgroup.procs") 2>/dev/null; then
  rmdir "$real" 2>/dev/null || :
  echo "no control group can be made here: a prepared directory alone was tried"
  exit 0
fi
trap 'rmdir "$real"; rm -rf "$T"' EXIT
(
  echo 0 >"$real/cgroup.procs"
  says "$one at most 1 compiler at once"
)
