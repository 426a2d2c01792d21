#!/bin/sh
# A file system on which two exclusive creations of one file both succeed: doctor says so and what follows. Each machine may compile a kernel
# then, but every call is right, also one that fails, and every entry is whole.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/netfs_fixture.sh"
[ -z "${NETFS_OPTIONS-}" ] || skip "NFS creates exclusively"
. "$here/unit/runtime_fixture.sh"
export CK_JIT_LOCK_PATIENCE=2
many lib 3
control=$T/lib/control
nodes="1 2"
cd "$T"

# on NODE N: two ranks there call kernel N, in a process space of the node, so that all nodes have the same process ids
on() {
  # shellcheck disable=SC2016
  CK_JIT_CACHE_DIR=$T/$kind$1/cache unshare -puf --kill-child --mount-proc sh -c 'hostname "$1"; shift; "$@" & "$@"; wait' sh "node$1" \
    "$T/hostile" "$T/lib/libkernels.so" value "$2" 5 >"said.$1" 2>&1 || true
}

# all N STARTS: all nodes call kernel N, which so many processes compile at once
all() {
  touch "$control/hold"
  pids=''
  for node in $nodes; do
    on "$node" "$1" &
    pids="$pids $!"
  done
  await "$kind: $2 compiles" has_started lib "$2" "k$1"
  rm "$control/hold"
  for pid in $pids; do
    wait "$pid"
  done
}

for kind in same other; do
  rm -rf server/cache server/doctor
  mkdir -m 700 server/cache server/doctor
  : >lib/log
  for node in $nodes; do
    client "$kind$node" exclusive=$kind
  done
  "$B/bin/ckjit-prebuild" doctor --cache-dir "$T/${kind}1/doctor" >said 2>&1 || true
  has "$kind: doctor" "exclusive creation creates a file twice" said
  has "$kind: what follows" "each machine may now compile the same kernel" said

  all 0 2
  cat said.[12] | sort | uniq -c >said
  is "$kind: results" "4 5" "$(tr -s " \n" " " <said | sed "s,^ \(.*\) ,\1,")"
  touch "$control/k1.fail"
  all 1 2
  is "$kind: a failure" 4 "$(cat said.[12] | grep -c "the compiler failed")"
  rm "$control/k1.fail"
  "$B/bin/ckjit-prebuild" verify --cache-dir "$T/server/cache" >said 2>&1 || fail "$kind: an entry is not whole: $(cat said)"
  is "$kind: loaded, and not compiled" 5 \
    "$(CK_JIT_CACHE_DIR=$T/server/cache CK_JIT_ON_MISS=error "$T/hostile" "$T/lib/libkernels.so" value 0 5 2>&1)"
done
