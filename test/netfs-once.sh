#!/bin/sh
# Machines that share a cache, but no locks: a kernel is compiled once over all of them, though missing names are cached for a minute and
# clocks differ; a failure reaches all who waited; a node that dies, or is stopped, is followed by one other; a lease of the future ends.
# tier: check
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/netfs_fixture.sh"
. "$here/unit/shim_fixture.sh"
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_LOCK_PATIENCE=2
shim "$T/fast" 1 "$T/template.so"
nodes="1 2 3 4"
for node in $nodes; do
  client "node$node" entry=60 negative=60 attr=60
  mkdir -m 700 "$T/node$node/cache" 2>/dev/null || true
done
cd "$T"
: >log

# on NODE STEM [OPTION…]: one rank there compiles STEM, in a process space and with a host name of the node
on() {
  node_=$1 stem_=$2
  shift 2
  unshare -puf --mount-proc sh -c 'hostname "$1"; shift; exec "$@"' sh "node$node_" \
    "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/$stem_.cu" --cache --output "$T/node$node_/cache/$stem_.so" \
    --blob-flags "--log=$T/log --template=$T/template.so --control=$T --sleep=200" "$@" >"$T/said.$node_.$stem_" 2>&1
}

# kernel STEM: its source, which no other has, and its compile lasts until STEM.hold is removed
kernel() {
  [ -e "$1.cu" ] || echo $((sources_ += 1)) >"$1.cu"
  touch "$1.hold"
}
sources_=4

# opened N: so many processes have a lock file open, which they hold or wait for. Their mounts are not ours, so in a chroot
# their paths begin at the real root.
opened() {
  [ "$(find /proc/[0-9]*/fd -lname "*/${T##*/}/node*/cache/.locks/*" 2>/dev/null | cut -d/ -f3 | sort -u | wc -l)" -ge "$1" ]
}

# all STEM: two ranks on each node at once, whose compile lasts until all of them want it; what they ended with is in $ended
all() {
  kernel "$1"
  pids_='' ended=''
  for node in $nodes; do
    on "$node" "$1" &
    pids_="$pids_ $!"
    on "$node" "$1" &
    pids_="$pids_ $!"
  done
  [ "${2-}" = there ] || await "eight ranks" opened 8
  rm "$1.hold"
  for pid in $pids_; do
    status_=0
    wait "$pid" || status_=$?
    ended="$ended$status_"
  done
}
starts() {
  grep -c "^start $1\\>" log || true
}
has_begun() {
  [ "$(starts "$1")" -ge "$2" ]
}
# left WHAT: nothing is left of a lease
left() {
  is "$1: left" "" "$(find server/cache/.locks -name '*.[0-9]*' ! -name '*.failed')"
}
# missing STEM: every node has looked for its names, and remembers that they are missing
missing() {
  for node in $nodes; do
    ls "node$node/cache/$1.so" "node$node/cache/.locks" >/dev/null 2>&1 || true
  done
}

missing once
all once
is "once" "1 00000000" "$(starts once) $ended"
left "once"
all once there
is "again" "1 00000000" "$(starts once) $ended"

echo "fails.cu:1: error: no such kernel" >fails.fail
all fails
is "a failure" "1 11111111" "$(starts fails) $ended"
left "a failure"
rm fails.fail
all fails
is "mended" "2 00000000" "$(starts fails) $ended"

# What `status` says on node 3: of a compile that lives, and of one whose node is dead, before and after another follows it.
status() {
  "$B/bin/ckjit-prebuild" status --cache-dir "$T/node3/cache" >said.status 2>&1 || fail "status: $(cat said.status)"
}

# The directory of a living compile stays when another node is done with another kernel.
kernel lives
on 1 lives &
first=$!
await "a compile" has_begun lives 1
kernel other
rm other.hold
on 2 other || fail "another kernel: $(cat said.2.other)"
status
is "a living node" "build id 1" "$(sed 's/ [0-9a-f]\{48\}.* (pid [0-9]* on node\([0-9]\)).*for an unknown process$/ \1/' said.status)"
rm lives.hold
wait "$first" || fail "a living node: $(cat said.1.lives)"
is "a living node" 1 "$(starts lives)"

# A node dies while it compiles. Only one of the others follows.
missing dies
kernel dies
on 1 dies &
first=$!
await "a compile" has_begun dies 1
send KILL "output $T/node1/cache/dies.so"
wait "$first" || true
status
has "a dead node" "no sign of life for 3 s" said.status
on 2 dies &
second=$!
on 3 dies &
third=$!
await "its successor" has_begun dies 2
status
is "a dead node that others follow" "1 2" "$(grep -c 'given up by others$' said.status) $(wc -l <said.status)"
lacks "its successor" "no sign of life" said.status
rm dies.hold
wait "$second" && wait "$third" || fail "after a node's death: $(cat said.2.dies said.3.dies)"
is "after a node's death" 2 "$(starts dies)"
on 4 dies || fail "later: $(cat said.4.dies)"
is "later" 2 "$(starts dies)"

# A stopped holder that goes on takes nothing from its successor.
kernel stops
on 1 stops &
first=$!
await "a compile" has_begun stops 1
send STOP "output $T/node1/cache/stops.so"
on 2 stops &
second=$!
await "its successor" has_begun stops 2
rm stops.hold
send CONT "output $T/node1/cache/stops.so"
wait "$first" && wait "$second" || fail "a stopped node: $(cat said.1.stops said.2.stops)"
is "a stopped node" 2 "$(starts stops)"

# A lease of the future: another format, a time stamp of next year.
kernel future
on 1 future &
first=$!
await "a compile" has_begun future 1
lease=$(find server/cache/.locks -name '*.1' -newer future.cu)
cp "$lease" future
send KILL "output $T/node1/cache/future.so"
wait "$first" || true
sed 's/ckjit-lease 1/ckjit-lease 9/' future >"$lease"
touch -d 'next year' "$lease"
rm future.hold
on 2 future || fail "a lease of the future: $(cat said.2.future)"
is "a lease of the future" 2 "$(starts future)"

# Files of leases that have not changed for an hour go with the next compile of another kernel.
find server/cache/.locks -name '*.[0-9]*' -exec touch -d '2 hours ago' {} +
client node5
kernel sweeps
rm sweeps.hold
on 5 sweeps || fail "$(cat said.5.sweeps)"
left "swept"
