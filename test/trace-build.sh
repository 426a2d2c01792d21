#!/bin/sh
# `ckjit-build full --trace`: each call of a compiler, recorded or passed on, and each step are in the file, which Perfetto and `ckjit trace view`
# show. What is passed on ends as without a trace: with the program's status, or by its signal, and a signal to it arrives.
# tier: all
# seconds: 12
# shellcheck disable=SC2154 # pid_NAME, which begin() sets
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/trace_fixture.sh"
. "$here/unit/page_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cat >>"$T/aiter/op_tests/cpp/mha/compile.py" <<'END_OF_PYTHON'
open("host.cc", "w").write("int host_function() { return 1; }\n")
subprocess.check_call([os.environ["CXX"], "-c", "host.cc", "-o", "host.o"])
assert subprocess.call([os.environ["CXX"], "-c", "/nonexistent/bad.cc", "-o", "bad.o"]) == 1
subprocess.check_call([os.environ["ROCM_PATH"] + "/bin/hipconfig"])
END_OF_PYTHON
full() {
  ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --tmp-dir "$T/w" "$@"
}
full --trace "$T/trace.json" >"$T/out" 2>&1 || fail "full: $(cat "$T/out")"
has 'the end' "trace    ckjit trace view $T/trace.json" "$T/out"
traced "$T/trace.json" '
steps = {e["name"]: e for e in of("build step") + of("build")}
assert {"home", "copy", "fwd", "bwd", "total"} <= set(steps) and all(within(e, steps["total"]) for n, e in steps.items() if n != "total"), steps
records = of("record")
assert sorted(e["name"] for e in records) == [f"fmha_{api}_d64_{n}.cu" for api in ("bwd", "fwd") for n in (1, 2)], records
assert {names[e["pid"]] for e in records} == {"hipcc"} and all(e["args"]["status"] == "0" and e["args"]["source"].endswith(e["name"]) for e in records)
assert sorted((e["name"], e["args"]["status"]) for e in of("host compile")) == [("bad.cc", "1")] * 2 + [("host.cc", "0")] * 2
assert sorted(e["name"] for e in of("link")) == ["libmha_bwd.so", "libmha_fwd.so"]
assert {e["name"] for e in of("other")} >= {"hipconfig"}, of("other")
for e in records + of("host compile") + of("link"):
    assert any(within(e, steps[api]) for api in ("fwd", "bwd")), e'
# the calls of one name have the fewest tracks of one process that they fit on
fewest='
for name in set(names.values()) & {"hipcc", "ckjit-cxx"}:
    calls = [e for e in of("record") + of("host compile") + of("link") + of("other") if names[e["pid"]] == name]
    most = max(sum(a["ts"] <= b["ts"] < a["ts"] + a["dur"] for a in calls) for b in calls)
    assert len(calls) > 1 and len({e["pid"] for e in calls}) == 1, (name, calls)
    assert most <= len({e["tid"] for e in calls}) <= most + 1, (name, most, calls) # + 1: who ends at the same moment may be written in the other order'
traced "$T/trace.json" "$fewest"
"$B/bin/ckjit" trace view "$T/trace.json" >/dev/null || fail 'no page'
paged "$T/trace.html" '
assert totals["Units recorded"][0] == "4" and totals["Host compiles"][0] == "4" and totals["Links"][0] == "2", totals
assert {r[4] for r in tables["All spans, in order of time"] if r[4].startswith("hipcc")} == {"hipcc"}, tables'

# a trace is replaced, not appended to; another file is not touched, and nothing is built
ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --tmp-dir "$T/w2" --trace "$T/trace.json" --api fwd >"$T/out" 2>&1 || fail "again: $(cat "$T/out")"
traced "$T/trace.json" 'assert len(of("record")) == 2 and len([e for e in of("build") if e["name"] == "total"]) == 1'
echo mine >"$T/mine"
refused 1 "ckjit-build: error: --trace $T/mine: exists, and is not a trace; expected the name of a new file" full --trace "$T/mine"
[ "$(cat "$T/mine")" = mine ] || fail 'another file was replaced'
refused 1 "ckjit-build: error: --trace $T/none/t: cannot be written: No such file" full --trace "$T/none/t"
refused 1 "ckjit-build: error: --trace $T/w: exists, and is not a trace" full --trace "$T/w"

# ---- what is passed on ends as it does ----
cat >"$T/rocm/bin/hipcc" <<'END_OF_SHELL'
#!/bin/sh
case "$*" in
*status7*) exit 7 ;;
*signal*) kill -SEGV $$ ;;
*caught*)
  trap 'echo told; exit 5' TERM && : >"$READY"
  for try in $(seq 400); do sleep 0.05; done
  : >"$LATE"
  exit 6
  ;;
*stdin*) cat ;;
esac
END_OF_SHELL
hipcc=$T/w/home/bin/hipcc
ends() {
  status=0
  "$hipcc" "$@" >"$T/out" 2>&1 || status=$?
}
# begin NAME: a call that waits for a signal has begun; its process is $pid_NAME
begin() {
  export READY="$T/ready.$1"
  rm -f "$READY"
  "$hipcc" --caught >"$T/told" &
  await 'it begins' [ -e "$READY" ]
  eval "pid_$1=\$!"
}
for trace in '' "$T/calls.json" "$T/none/calls.json" /dev/full; do
  export CK_JIT_TRACE="$trace"
  ends --status7
  [ $status = 7 ] && [ ! -s "$T/out" ] || fail "$trace: status $status: $(cat "$T/out")"
  ends --signal 2>/dev/null
  [ $status = 139 ] || fail "$trace: a signal: status $status"
  [ "$(echo words | "$hipcc" --stdin)" = words ] || fail "$trace: standard input"
  export LATE="$T/late"
  begin first
  kill -TERM "$pid_first"
  status=0
  wait "$pid_first" || status=$?
  [ "$status $(cat "$T/told")" = '5 told' ] || fail "$trace: SIGTERM: status $status: $(cat "$T/told")"
done
traced "$T/calls.json" '
assert [e["args"]["status"] for e in of("other")] == ["7", "signal 11", "0", "5"], of("other")
assert len({(e["pid"], e["tid"]) for e in of("other")}) == 1, of("other")'

# of three calls that run beside each other the next takes a track that is free; one of another name has its own
export CK_JIT_TRACE="$T/beside.json" LATE="$T/none/late"
cp "$T/rocm/bin/hipcc" "$T/rocm/bin/hipconfig"
end() {
  kill -TERM "$1"
  wait "$1" || :
}
{ begin 1 && begin 2 && end "$pid_1" && begin 3 && begin 4 && end "$pid_2" && "$hipcc" --stdin </dev/null && end "$pid_3" && end "$pid_4"; }
"${hipcc%hipcc}hipconfig" --status7 || :
hipcc_tids='{e["tid"] for e in of("other") if names[e["pid"]] == "hipcc"}'
traced "$T/beside.json" "$fewest
assert len(of('other')) == 6 and len($hipcc_tids) == 3 and len({e['tid'] for e in of('other')}) == 4, of('other')"
# lines of the time before this machine was started, and what is no line, are of no track
cat >"$T/more.py" <<'P'
import json, sys, time
file, many, ts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) or int(time.monotonic() * 1e6)
calls = [json.loads(l[1:]) for l in open(file) if '"cat":"other"' in l]
pid = next(e["pid"] for e in calls if e["name"] == "hipcc")
with open(file, "a") as out:
    for lane in range(many):
        print(',{"ph":"X","name":"x","cat":"other","pid":%d,"tid":%d,"ts":%d,"dur":0}' % (pid, pid + lane, ts), file=out)
P
track() {
  python3 -c 'import json, sys; e = json.loads(open(sys.argv[1]).read().splitlines()[-1][1:]); print(e["tid"] - e["pid"], e["pid"] < 1 << 23)' "$CK_JIT_TRACE"
}
export CK_JIT_TRACE="$T/boot.json"
"$hipcc" --stdin </dev/null
python3 "$T/more.py" "$CK_JIT_TRACE" 1 9000000000000000
echo ',{"pid":garbage' >>"$CK_JIT_TRACE"
"$hipcc" --stdin </dev/null
[ "$(track)" = '0 False' ] || fail "after a start of the machine: $(track)"
# where all tracks are taken a call is a process of its own, and so it is where the trace is locked
begin last
python3 "$T/more.py" "$CK_JIT_TRACE" 1024 0
end "$pid_last"
[ "$(track)" = '0 True' ] || fail "1,024 tracks are taken: $(track)"
"$hipcc" --stdin </dev/null
[ "$(track)" != '0 True' ] || fail 'a track that is free again is not taken'
need flock
flock "$CK_JIT_TRACE" "$hipcc" --stdin </dev/null
[ "$(track)" = '0 True' ] || fail "the trace is locked: $(track)"
export CK_JIT_TRACE="$T/killed.json"
begin killed
kill -KILL "$pid_killed"
wait "$pid_killed" 2>/dev/null || :
gone() { ! pgrep -f -- "$T/rocm/bin/hipcc --caught" >/dev/null; }
need pgrep
await 'the compiler does not go with it' gone
[ ! -e "$LATE" ] || fail 'the compiler went on without its wrapper'
