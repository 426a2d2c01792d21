#!/bin/sh
# --shard: the shards are everything, disjoint and balanced, and the same for each task whatever the order of its list, its cache and its
# GPUs are; which shard a task is, the variables of its scheduler say; a contradiction is an error before anything is done.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/shard_fixture.sh"
shard_tree 60
export CK_JIT_CACHE_DIR="$T/cache"

for n in 1 2 4 7 60 61 200; do
  shards $n
  whole $n
done
[ ! -s "$T/shard.150" ] || fail 'more shards than blobs, and none is empty'

# The order of a list, repetitions, and other forms of names make no difference; nor what is cached; nor the GPUs.
shards 4
cp "$T/shard.2" "$T/wanted"
prebuild list | sort -R | sed 's|$|.cu|' >"$T/list"
prebuild list | head -n 9 >>"$T/list"
prebuild list --shard 2/4 --blob-list "$T/list" | cmp - "$T/wanted" || fail 'the order of the list matters'
prebuild build k1 k2 k3 k4 k5 >/dev/null || fail 'five blobs cannot be built'
prebuild list --shard 2/4 | cmp - "$T/wanted" || fail 'what is cached matters'
CK_JIT_ARCH=gfx90a prebuild list --shard 2/4 | cmp - "$T/wanted" || fail 'the GPUs matter'
# Others, by their own list: they are divided alone.
prebuild list --shard 0/2 k1 k2 k3 >"$T/a" && prebuild list --shard 1/2 k3 k2 k1 >"$T/b"
[ "$(sort "$T/a" "$T/b" | tr '\n' ' ')" = 'k1 k2 k3 ' ] || fail "three blobs in two shards: $(cat "$T/a" "$T/b")"

# By sizes of sources, shards differ by less than one source; by --times, by less than one of these.
balanced() {
  python3 - "$T" "$@" <<'END'
import os, sys
T, n, times = sys.argv[1], int(sys.argv[2]), dict(line.split("\t") for line in open(sys.argv[3])) if len(sys.argv) > 3 else None
cost = lambda s: float(times[s]) if times else os.path.getsize(f"{T}/i/ck_jit/src/{s}.cu")
loads, all_ = [], []
for i in range(n):
    mine = [cost(s) for s in open(f"{T}/shard.{i}").read().split()]
    assert mine == sorted(mine, reverse=True), "not the longest first"
    loads.append(sum(mine)); all_ += mine
assert max(loads) - min(loads) <= max(all_), loads
assert max(loads) <= 1.10 * sum(loads) / n, loads
END
}
shards 4
balanced 4 || fail 'the shards are not balanced by the sources'
prebuild list | awk '{ t = NR % 4 ? 1 + NR / 100 : 30 + NR; printf "%s\t%.2f\n", $1, t }' >"$T/times"
shards 4 --times "$T/times"
whole 4
balanced 4 "$T/times" || fail 'the shards are not balanced by the times'
# The order of its lines does not matter, nor JSON, nor lines of others; of two times the larger counts.
cp "$T/shard.1" "$T/wanted"
sort -R "$T/times" | awk -F '\t' '{ printf "{\"calls\": 3, \"seconds\": %s, \"stem\": \"%s\"}\n", $2, $1; printf "%s\t%g\n", $1, $2 / 2 }
  END { print "# of Tuesday\n\n{\"capture\": 1}\n{\"stem\": \"k1\"}\nno_such_blob\t4" }' >"$T/times.json"
prebuild list --shard 1/4 --times "$T/times.json" | cmp - "$T/wanted" || fail 'the order or the form of the times matters'
# Some times: the others are estimated in the same measure.
head -n 30 "$T/times" >"$T/half"
shards 3 --times "$T/half"
whole 3
# Without a shard: all, the longest first.
[ "$(prebuild list --times "$T/times" | head -n 1)" = "$(sort -k2 -n "$T/times" | tail -n 1 | cut -f 1)" ] || fail 'not the longest first'

# said VARIABLES SHARD: build says that this is its shard
said() {
  # shellcheck disable=SC2086 # a list
  env $1 "$I/ckjit-prebuild" build --all --cache-dir "$T/cache" >"$T/out" 2>&1 || fail "$1: $(cat "$T/out")"
  grep -q "^shard $2: [0-9]* of 60 blobs, .* partition [0-9a-f]*\$" "$T/out" || fail "$1 is not $2: $(cat "$T/out")"
}
slurm='SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN='
said 'SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4' '2/4 (SLURM_ARRAY_TASK_ID)'
said "SLURM_ARRAY_TASK_ID=3 ${slurm}3 SLURM_ARRAY_TASK_MAX=6 SLURM_ARRAY_TASK_STEP=1" '0/4 (SLURM_ARRAY_TASK_ID)'
said "SLURM_ARRAY_TASK_ID=11 ${slurm}2 SLURM_ARRAY_TASK_MAX=11 SLURM_ARRAY_TASK_STEP=3" '3/4 (SLURM_ARRAY_TASK_ID)'
said 'SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=5' '0/1 (SLURM_ARRAY_TASK_ID)'
said 'OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3' '1/3 (OMPI_COMM_WORLD_RANK)'
said 'JOB_COMPLETION_INDEX=7 CK_JIT_SHARD=auto/8' '7/8 (JOB_COMPLETION_INDEX)'
said 'JOB_COMPLETION_INDEX=7 CK_JIT_SHARD=1/2' '1/2 (CK_JIT_SHARD)'
# one that agrees or has no others is no contradiction
said 'OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4' '1/4 (SLURM_ARRAY_TASK_ID)'
said 'OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=4' '3/4 (SLURM_ARRAY_TASK_ID)'
# the command line wins, whatever the variables say; one shard is everything
for variables in 'SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4' JOB_COMPLETION_INDEX=1 CK_JIT_SHARD=nonsense SLURM_ARRAY_TASK_ID=x; do
  # shellcheck disable=SC2086 # a list
  env $variables "$I/ckjit-prebuild" build --all --shard 0/1 >"$T/out" 2>&1 || fail "$variables: $(cat "$T/out")"
  grep -q '^shard 0/1 (--shard): 60 of 60 blobs, 100.0%' "$T/out" || fail "$variables: $(cat "$T/out")"
done
# list, clean and times are not shared by themselves: scripts call them
[ "$(SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4 prebuild list | wc -l)" = 60 ] || fail 'list is shared by itself'
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4 prebuild list --shard auto | cmp - "$T/shard.2" >/dev/null 2>&1 && fail 'the times count without --times'
shards 4
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=4 prebuild list --shard auto | cmp - "$T/shard.2" || fail 'list --shard auto'

for bad in '' / 1 1/ /4 a/4 1/b -1/4 1/-4 +1/4 1/4/4 ' 1/4' 0x1/4 autos auto/ auto/x 1.0/4 99999999999999999999/4; do
  refused 2 "--shard: expected I/N, auto or auto/N, found '$bad'" prebuild build --all --shard "$bad"
done
refused 2 '--shard 4/4: shards count from 0, so I is from 0 to 3' prebuild build --all --shard 4/4
refused 2 '--shard 0/0: expected from 1 to' prebuild build --all --shard 0/0
refused 2 '--shard 0/100001: expected from 1 to 100000 shards' prebuild build --all --shard 0/100001
refused 2 "CK_JIT_SHARD: expected I/N, auto or auto/N, found '3'" env CK_JIT_SHARD=3 "$I/ckjit-prebuild" build --all
refused 2 '--shard auto: none of SLURM_ARRAY_TASK_ID,.* is set' prebuild build --all --shard auto
refused 2 'JOB_COMPLETION_INDEX=1 gives this shard.s number, but not how many shards there are' env JOB_COMPLETION_INDEX=1 "$I/ckjit-prebuild" build --all
refused 2 'SLURM_ARRAY_TASK_ID=1 gives this shard' env SLURM_ARRAY_TASK_ID=1 "$I/ckjit-prebuild" build --all
refused 2 'JOB_COMPLETION_INDEX=8: expected one of 8 tasks' env JOB_COMPLETION_INDEX=8 "$I/ckjit-prebuild" build --all --shard auto/8
refused 2 'SLURM_ARRAY_TASK_ID=4: expected one of 4 tasks from 0' env SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_COUNT=4 "$I/ckjit-prebuild" build --all
refused 2 'auto/8: SLURM_ARRAY_TASK_COUNT gives 4 tasks' env SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 "$I/ckjit-prebuild" build --all --shard auto/8
refused 2 'tasks from 1 to 9 are not evenly spaced' env SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1 \
  SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_STEP=1 "$I/ckjit-prebuild" build --all
refused 2 "SLURM_ARRAY_TASK_COUNT='four': expected a whole number" env SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=four "$I/ckjit-prebuild" build --all
refused 2 'SLURM_ARRAY_TASK_COUNT 0: expected from 1 to' env SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=0 "$I/ckjit-prebuild" build --all
refused 2 'SLURM_ARRAY_TASK_ID gives shard 1/4 and OMPI_COMM_WORLD_RANK gives shard 2/4' env SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 \
  OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 "$I/ckjit-prebuild" build --all
refused 2 'clean: --shard goes with list and build' prebuild clean --all --shard 0/2
refused 2 'times: --times goes with list, build and warm' prebuild times --times "$T/times"
refused 1 "unknown blob 'k77'" prebuild list --shard 0/2 k77
# A source that this task alone does not see would make it divide the blobs in another way.
mv "$I/src/k7.cu" "$T/k7.cu"
refused 1 'k7: its source cannot be read: .*/src/k7.cu' prebuild list --shard 0/2
prebuild list --shard 0/4 --times "$T/times" >/dev/null || fail 'with a time for each the sources are not needed'
