#!/bin/sh
# CK_JIT_TRACE of libraries in use: many processes and threads write one file, whole lines only; each first call has its look-ups, its wait
# or its compile, which an arrow leads to ckjit-compile, and its load. Processes that are killed leave it readable. It costs the second call
# nothing.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
. "$here/unit/trace_fixture.sh"
need pgrep
seed
KERNELS=30 PROCESSES=4 THREADS=8
SHIM_MS=100 many lib $KERNELS
export CK_JIT_TRACE="$T/trace"
i=0
while [ $i -lt $PROCESSES ]; do
  hostile lib stampede "$T/go" "$T/waits.$i" $KERNELS $THREADS $((SEED + i)) >"$T/out.$i" 2>"$T/err.$i" &
  pids="${pids-} $!"
  i=$((i + 1))
done
await 'not all processes are ready' eval '[ "$(cat "$T"/out.* | grep -c ready)" = $PROCESSES ]'
[ ! -e "$T/trace" ] || fail 'an event before the first call'
touch "$T/go"
for pid in $pids; do
  wait "$pid" || fail "a process failed: $(cat "$T"/err.*)"
done
is compiles $KERNELS "$(started lib)"
traced "$T/trace" "
hosts = [p for p, n in names.items() if n == 'hostile']
assert len(hosts) == $PROCESSES, names
calls, compiles, loads, waits = of('first call'), [e for e in of('compile') if e['pid'] in hosts], of('load'), of('wait')
for host in hosts:
    assert {e['name'] for e in calls if e['pid'] == host} == {f'k{n}' for n in range($KERNELS)}
assert len({e['tid'] for e in calls}) > $PROCESSES and len(of('look up')) >= len(calls)
# every wait, compile, load and look-up is part of a first call of the same kernel
for e in compiles + loads + of('look up') + [w for w in waits if w['pid'] in hosts]:
    assert any(c['pid'] == e['pid'] and c['tid'] == e['tid'] and within(e, c) and c['name'] == e['args']['stem'] for c in calls), e
assert any(w['pid'] in hosts for w in waits), 'no thread waited for another'
assert all(e['args']['library'].endswith('/lib/libkernels.so') and e['args']['archs'] for e in calls)
assert all(e['args']['status'] == '0' for e in calls + compiles), 'a status'
# each compile of a library leads to one ckjit-compile, and lies around it
mine = [e for e in of('compile') if e['pid'] not in hosts]
assert len(mine) == len(compiles) == len(starts) == len(ends) and set(starts) == set(ends)
for id in starts:
    a = next(e for e in compiles if e['pid'] == starts[id]['pid'] and e['tid'] == starts[id]['tid'] and e['ts'] == starts[id]['ts'])
    b = next(e for e in mine if e['pid'] == ends[id]['pid'])
    assert id.startswith(b['args']['build_id']) and a['args']['stem'] == b['args']['stem'] == b['name'] and within(b, a), (a, b)
assert sum(len([s for s in of('step') if s['pid'] == m['pid']]) for m in mine) == $KERNELS, 'not each compiled once'
"
# The next process: hits. Its second calls are not in it.
rm "$T/trace"
is values '1 2 1001' "$(hostile lib flags NOW - 0 1 0 2 1 1 | tr '\n' ' ' | sed 's/ $//')"
traced "$T/trace" '
assert [e["name"] for e in of("first call")] == ["k0", "k1"] and not of("compile") and not of("wait")
assert [e["args"]["status"] for e in of("look up")] == ["hit", "hit"]
assert [e["args"]["file"].rsplit("/", 1)[1] for e in of("load")] == ["k0.so", "k1.so"]'

# A kernel that cannot be compiled, and processes that are killed while others write.
rm "$T/trace"
echo no >"$T/lib/control/k3.fail"
rm "$T/cache/k3.so"
hostile lib value 3 1 >"$T/out" 2>&1 && fail 'k3 compiles'
traced "$T/trace" '
call, = of("first call")
assert call["args"]["status"] == "failed" and "1" in {e["args"]["status"] for e in of("compile")}, of("compile")'
rm -r "$T/cache"
rm "$T/lib/control/k3.fail" "$T/go" "$T"/out.*
pids=
for i in 0 1 2 3; do
  hostile lib stampede "$T/go" "$T/waits.$i" $KERNELS $THREADS $((SEED + i)) >"$T/out.$i" 2>&1 &
  pids="$pids $!"
done
await 'not all processes are ready' eval '[ "$(cat "$T"/out.* | grep -c ready)" = 4 ]'
touch "$T/go"
for pid in $pids; do
  sleep 0.15
  kill -9 "$pid" 2>/dev/null || true # it may be done by now
done
for pid in $pids; do wait "$pid" 2>/dev/null || true; done
await 'their compiles go on' eval '! pgrep -f -- "$T/lib/ck_jit" >/dev/null'
traced "$T/trace" 'assert len(names) > 4 and of("first call")'
