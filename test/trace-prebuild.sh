#!/bin/sh
# CK_JIT_TRACE of ckjit-prebuild: the run, and each job on the track of its place, with an arrow to its ckjit-compile; tasks that share a
# file; one that is killed leaves it readable.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/shard_fixture.sh"
. "$here/unit/trace_fixture.sh"
need pgrep
SHIM_MS=40
shard_tree 12
export CK_JIT_TRACE="$T/trace"
: >"$T/control/k4.fail"
prebuild build --all -j 3 --shard 0/2 --cache-dir "$T/cache" >"$T/out" 2>&1 &
one=$!
prebuild build --all -j 3 --shard 1/2 --cache-dir "$T/cache" >"$T/out.1" 2>&1 &
status=0
wait $one || status=$?
wait $! || status=$((status + $?))
[ $status = 1 ] || fail "k4 compiles: $(cat "$T/out" "$T/out.1")"
traced "$T/trace" '
runs, jobs = of("build"), of("job")
assert len(runs) == 2 and {names[e["pid"]] for e in runs} == {"ckjit-prebuild"} and {e["args"]["shard"] for e in runs} == {"--shard"}
assert {e["name"] for e in jobs} == {f"k{n}" for n in range(12)} and len(jobs) == 12
for run in runs:
    mine = [e for e in jobs if e["pid"] == run["pid"]]
    assert len({e["tid"] for e in mine}) == 3 and run["tid"] not in {e["tid"] for e in mine} and all(within(e, run) for e in mine)
assert {e["name"] for e in jobs if e["args"]["status"] == "1"} == {"k4"} and all(len(e["args"]["build_id"]) == 48 for e in jobs)
compiles = {e["pid"]: e for e in of("compile")}
assert len(compiles) == len(starts) == 12 and set(starts) == set(ends)
for id in starts:
    job = next(e for e in jobs if (e["pid"], e["tid"], e["ts"]) == tuple(starts[id][k] for k in ("pid", "tid", "ts")))
    assert compiles[ends[id]["pid"]]["name"] == job["name"] and within(compiles[ends[id]["pid"]], job), job'

rm "$T/trace"
touch "$T/control/k9.hold" # so that it cannot end before it is killed
"$I/ckjit-prebuild" build --all -j 2 --cache-dir "$T/killed" >"$T/out" 2>&1 &
one=$!
three_jobs() {
  [ "$(grep -s '"cat":"job"' "$T/trace" | grep -c '"ph":"X"')" -ge 3 ]
}
await 'three jobs do not end' three_jobs
kill -9 $one
wait $one 2>/dev/null || true
rm "$T/control/k9.hold"
await 'its compiles go on' eval '! pgrep -f -- "$T/killed" >/dev/null'
traced "$T/trace" 'assert len(of("job")) >= 3 and not of("build")'
