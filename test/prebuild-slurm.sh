#!/bin/sh
# A job array of four tasks on a real Slurm builds everything once: each task finds out by itself which shard it is, wherever the array's
# numbers begin and however far apart they are. A task that is requeued does what is missing of its share. An array with gaps is refused.
# tier: all
# seconds: 26
. "${0%/*}/common.sh"
. "$here/unit/shard_fixture.sh"
. "$here/unit/slurm_fixture.sh"
SHIM_MS=100
shard_tree 40
slurm_start 4
chmod 755 "$T/i"
mkdir "$T/out"

# array NUMBERS NAME: a task each, its output in $T/out/NAME.NUMBER; ends when all have ended
array() {
  sbatch --array="$1" --wait --output "$T/out/$2.%a" --export=ALL --wrap "exec '$I/ckjit-prebuild' build --all -j 2 --cache-dir '$T/cache'" \
    >"$T/sbatch" 2>&1
}

array 2-12:3 first || fail "$(cat "$T/sbatch" "$T"/out/first.*)"
[ "$(sed -n 's/^shard \(.*\): .*/\1/p' "$T"/out/first.2 "$T"/out/first.5 "$T"/out/first.8 "$T"/out/first.11 | tr '\n' ' ')" = \
  '0/4 (SLURM_ARRAY_TASK_ID) 1/4 (SLURM_ARRAY_TASK_ID) 2/4 (SLURM_ARRAY_TASK_ID) 3/4 (SLURM_ARRAY_TASK_ID) ' ] || fail "$(cat "$T"/out/*)"
[ "$(sed -n 's/.*partition //p' "$T"/out/first.* | sort -u | wc -l)" = 1 ] || fail 'the tasks do not agree'
[ "$(sed -n 's/^start \([^ ]*\) .*/\1/p' "$T/log" | sort | uniq -c | awk '$1 == 1' | wc -l)" = 40 ] || fail "not each once: $(cat "$T/log")"
CK_JIT_HIPCC=/nonexistent prebuild build --all --cache-dir "$T/cache" | grep -q '^0 compiled, 40 in the cache' || fail 'not all was built'
# They did run at the same time, as the log of the compiler tells.
awk '$1 == "start" { if (++n > most) most = n } $1 == "end" { n-- } END { exit !(most > 2) }' "$T/log" || fail 'one after the other'

# One task again, after a part of its share was lost.
job=$(sed -n 's/^Submitted batch job \([0-9]*\).*/\1/p' "$T/sbatch")
lost=$(prebuild list --shard 2/4 | head -n 2)
for stem in $lost; do rm "$T/cache/$stem.so"; done
scontrol requeue "${job}_8" >"$T/o" 2>&1 || fail "requeue: $(cat "$T/o")"
now() { scontrol update "JobId=${job}_8" StartTime=now >"$T/o" 2>&1; } # by itself it would wait two minutes
slurm_wait "not to be started now: $(cat "$T/o")" now
again() { grep -q '^2 compiled, [0-9]* in the cache already, 0 failed' "$T/out/first.8"; }
slurm_wait 'the requeued task did not do its share again' again

if array 1,3,4,9 gaps; then fail "an array with gaps: $(cat "$T"/out/gaps.*)"; fi
grep -q 'tasks from 1 to 9 are not evenly spaced' "$T/out/gaps.3" || fail "$(cat "$T"/out/gaps.*)"
# One number is an array of one: everything that is missing.
for stem in $lost k1 k2 k3; do rm -f "$T/cache/$stem.so"; done
array 7 one || fail "$(cat "$T/out/one.7")"
grep -q '^shard 0/1 (SLURM_ARRAY_TASK_ID): 40 of 40' "$T/out/one.7" || fail "$(cat "$T/out/one.7")"
slurm_end
