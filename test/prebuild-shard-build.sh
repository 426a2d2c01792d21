#!/bin/sh
# Tasks that share a cache compile each blob once, at the same time and again; a task that was killed does the rest when it is started
# again; caches of their own are copied into one. Every task says the same partition.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/shard_fixture.sh"
need pgrep
SHIM_MS=30
shard_tree 40

# tasks N DIR…: N tasks at the same time, each with its DIR as cache, the last DIR for all that have none
tasks() {
  n_=$1 i_=0 pids_=
  shift
  rm -f "$T"/task.*
  while [ $i_ -lt "$n_" ]; do
    OMPI_COMM_WORLD_RANK=$i_ OMPI_COMM_WORLD_SIZE=$n_ prebuild build --all -j 4 --cache-dir "$1" >"$T/task.$i_" 2>&1 &
    pids_="$pids_ $!"
    [ $# = 1 ] || shift
    i_=$((i_ + 1))
  done
  for pid_ in $pids_; do
    wait "$pid_" || fail "$(cat "$T"/task.*)"
  done
  [ "$(sed -n 's/^shard.*partition//p' "$T"/task.* | sort | uniq -c | awk '{ print $1 }')" = "$n_" ] || fail "$(cat "$T"/task.*)"
}
started() { sed -n 's/^start \([^ ]*\) .*/\1/p' "$T/log"; }
all_cached() {
  CK_JIT_HIPCC=/nonexistent prebuild build --all --cache-dir "$1" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
  grep -q '^0 compiled, 40 in the cache already, 0 failed' "$T/out" || fail "$(cat "$T/out")"
}

tasks 4 "$T/shared"
[ "$(started | wc -l)" = 40 ] && [ "$(started | sort -u | wc -l)" = 40 ] || fail "$(started | wc -l) compiles for 40 blobs"
all_cached "$T/shared"
tasks 4 "$T/shared"
grep -q '^0 compiled, [0-9]* in the cache already, 0 failed' "$T/task.3" || fail "$(cat "$T/task.3")"
[ "$(started | wc -l)" = 40 ] || fail 'compiled again'
# tasks that overlap, a whole run among them: still once each
: >"$T/log"
rm -rf "$T/shared"
prebuild build --all -j 3 --cache-dir "$T/shared" >"$T/whole" 2>&1 &
tasks 3 "$T/shared"
wait $! || fail "$(cat "$T/whole")"
[ "$(started | wc -l)" = 40 ] || fail "$(started | wc -l) compiles for 40 blobs"

# killed in the middle, which is the fourth compile, and started again; what it had begun goes on to its end
: >"$T/log"
hold=$T/control/$(prebuild list --shard 1/2 | sed -n 4p).hold
touch "$hold"
setsid sh -c 'exec "$@"' sh "$I/ckjit-prebuild" build --all -j 1 --shard 1/2 --cache-dir "$T/killed" >"$T/out" 2>&1 &
pid=$!
await 'no fourth compile' eval '[ "$(started | wc -l)" -ge 4 ]'
kill -9 $pid
wait $pid 2>/dev/null || true
[ "$(started | wc -l)" = 4 ] || fail "$(started | wc -l) compiles, and the fourth did not end"
rm "$hold"
await 'its compiles go on' eval '! pgrep -f -- "$T/killed" >/dev/null'
prebuild build --all --shard 1/2 --cache-dir "$T/killed" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
mine=$(prebuild list --shard 1/2 | wc -l)
cached=$(sed -n 's/^\([0-9]*\) compiled, \([0-9]*\) in the cache already, 0 failed.*/\1 \2/p' "$T/out")
[ "${cached##* }" = 4 ] && [ $((${cached%% *} + ${cached##* })) = "$mine" ] || fail "not resumed: $(cat "$T/out")"
[ "$(started | wc -l)" = "$mine" ] || fail 'what was done was done again'

# caches of their own, then one
: >"$T/log"
tasks 3 "$T/own0" "$T/own1" "$T/own2"
mkdir -m 700 "$T/one"
cp -n "$T"/own?/*.so "$T/one"
[ "$(started | wc -l)" = 40 ] || fail 'tasks with caches of their own compiled the same'
all_cached "$T/one"
# What is half copied is not taken for whole, and made anew.
head -c 5000 "$T/one/k3.so" >"$T/half" && cat "$T/half" >"$T/one/k3.so"
prebuild build --all --cache-dir "$T/one" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -q '^1 compiled, 39 in the cache already, 0 failed' "$T/out" || fail "$(cat "$T/out")"
# one that fails does not stop the shard, and is of one shard only
: >"$T/control/k5.fail"
failed=0
for k in 0 1 2; do
  prebuild build --all --shard $k/3 --cache-dir "$T/failing" >"$T/out" 2>&1 || failed=$((failed + 1))
done
[ $failed = 1 ] && [ "$(find "$T/failing" -maxdepth 1 -name '*.so' | wc -l)" = 39 ] || fail "$failed shards failed"
