#!/bin/sh
# ready says whether a job will compile, before it starts: of a capture, a list, all, or the record
# of use; of several libraries; what is being compiled, has failed or is not known. Nothing is
# compiled, and the status says it. stats counts the compiles after it, and prints OpenMetrics text.
# tier: all
# seconds: 6
. "${0%/*}/common.sh"
need python3
. "$here/unit/runtime_fixture.sh"
. "$here/unit/pack_fixture.sh"
export CK_JIT_ARCH=gfx942 CK_JIT_JOB_MEMORY=0
unset CK_JIT_JOBS
export CK_JIT_WARM=1 # the record of use is written
many lib 8 1
api quiet # compiles it
install lib
lib=$T/lib/libkernels.so
unset CK_JIT_MANIFEST
# ready STATUS WORD…: its answer is in out
ready() {
  status_=0 want_=$1
  shift
  : >"$T/lib/log"
  "$B/bin/ckjit-prebuild" ready "$@" >"$T/out" 2>"$T/err" || status_=$?
  is "ready $*: status ($(cat "$T/out" "$T/err"))" "$want_" "$status_"
  [ ! -s "$T/lib/log" ] || fail "ready $* has compiled: $(cat "$T/lib/log")"
}
# told EXPRESSION: of the JSON j
told() {
  python3 -c "
import json, sys
j = json.load(open('$T/out'))
k = {x['kernel']: x for x in j['kernels']}
if not ($1): sys.exit(json.dumps(j))" 2>"$T/err" || fail "not $1: $(cat "$T/err")"
}
call() { "$T/api" "open:$lib" "$@" >"$T/said" 2>&1 || fail "call: $(cat "$T/said")"; }
two=stub:_Z6value_ILi2EEii:1 five=stub:_Z6value_ILi5EEii:1

# nobody has called it, nothing is named: not known. All, and a list, are
ready 4 "$lib"
has "nothing is known" \
  "libkernels.so	unknown	no list is given, and no call has waited for a compile" "$T/out"
CK_JIT_CACHE_DIR=$T/none ready 3 --all "$lib"
has "all" "not ready: 8 entries are wanted, 8 will be compiled, 0 not known, $T/none" "$T/out"
[ ! -e "$T/none" ] || fail "it has made a cache for nothing"

# what a job calls, by its capture
CK_JIT_CAPTURE=$T/used.txt call $two $five
ready 0 --capture "$T/used.txt" "$lib"
is "ready" "ready: 2 entries are wanted, and nothing will be compiled, $T/cache" "$(cat "$T/out")"
ready 0 "$lib" # by the record of use
rm "$T/cache/k5.so"
ready 3 --capture "$T/used.txt" "$lib"
grep -q '^k5	absent	[0-9.]* CPU-seconds last time$' "$T/out" || fail "k5: $(cat "$T/out")"
ready 3 --json "$lib"
told 'j["ready"] is False and j["wanted"] == 2 and j["missing"] == 1 and j["unknown"] == 0'
told 'list(k) == ["k5"] and k["k5"]["state"] == "absent" and k["k5"]["library"] == "libkernels.so"'
told 'k["k5"]["seconds"] is not None and k["k5"]["why"] is None'

# being compiled, failed
: >"$T/lib/control/k5.hold"
"$T/api" "open:$lib" $five >"$T/said" 2>&1 &
await "k5 is started" grep -q 'start k5' "$T/lib/log"
status=0
"$B/bin/ckjit-prebuild" ready --json "$lib" >"$T/out" || status=$?
is "while it is compiled" 3 $status
told 'k["k5"]["state"] == "compiling"'
rm "$T/lib/control/k5.hold"
wait $!
rm "$T/cache/k5.so"
echo broken >"$T/lib/control/k5.fail"
"$T/api" "open:$lib" $five >"$T/said" 2>&1 && fail "k5 compiles"
ready 3 --json "$lib"
told 'k["k5"]["state"] == "failed"'
rm "$T/lib/control/k5.fail"

rm -f "$T"/cache/k*.so
CK_JIT_WARM=0 call $two $five

# several libraries: a capture of all; a name that none has
many other 2 7
install other
cat "$T/used.txt" >"$T/both.txt"
ready 0 --capture "$T/both.txt" "$lib" "$T/other/libkernels.so"
echo k99 >>"$T/both.txt"
ready 4 --capture "$T/both.txt" --json "$lib" "$T/other/libkernels.so"
told 'j["ready"] is None and j["unknown"] == 1 and k["k99"]["state"] == "unknown"'
told 'k["k99"]["why"] == "no library has a kernel of that name" and k["k99"]["library"] is None'
ready 1 "$T/none.so"
has "no library" "has no kernel of $T/none.so" "$T/err"
ready 2 --metrics "$lib"
ready 1 --capture "$T/none" "$lib"
has "no capture" "none: cannot read it" "$T/err"

# compiles after ready
stats() {
  "$B/bin/ckjit-prebuild" stats "$@" >"$T/out" 2>"$T/err" || fail "stats $*: $(cat "$T/err")"
}
ready 0 "$lib"
stats
grep -q '^Compiles after ready: 0, since 20..-..-.. ..:..:.. UTC$' "$T/out" ||
  fail "stats: $(cat "$T/out")"
call stub:_Z6value_ILi1EEii:1 $two
stats --json
python3 -c "
import json
s = json.load(open('$T/out'))
assert s['compiles_after_ready'] == 1 and s['ready'] > 1e9, s" || fail "compiles after ready"
ready 0 --capture "$T/used.txt" "$lib" # k1 is in the cache by now
stats
has "again" "Compiles after ready: 0, since" "$T/out"
stats --json
all=$(python3 -c "
import json
t = json.load(open('$T/out'))['total']
print(t['compiles'] + t['failed_compiles'])")
stats --since 2020-01-31
has "--since" "Compiles from 2020-01-31 on: $all" "$T/out"
stats --since 2999-12-31
has "--since" "Compiles from 2999-12-31 on: 0" "$T/out"
for bad in yesterday 2026-13-01 2026-1-1 '2026-01-01 10:00' ''; do
  "$B/bin/ckjit-prebuild" stats --since "$bad" >"$T/out" 2>"$T/err" && fail "--since '$bad'"
  has "--since '$bad'" "since" "$T/err"
done

# OpenMetrics: a name, labels and a number a line, heads before them, an end
# (tell-metrics-long asks a parser)
stats --metrics
name='ckjit_[a-z_]+' labels='(\{library="[^"]*"(,result="[a-z]+")?\})?'
head="^# (TYPE $name (counter|gauge)|UNIT $name seconds|HELP $name .+|EOF)\$"
lacks 'no OpenMetrics' "$head|^$name$labels [0-9]+(\.[0-9]{3})?\$" "$T/out" -vE
is "its end" "# EOF" "$(tail -n 1 "$T/out")"
has "a counter" 'ckjit_compiles_total{library="libkernels.so",result="made"} ' "$T/out"
has "a gauge" 'ckjit_compiles_after_ready 0' "$T/out"
grep -q '^ckjit_waited_seconds_total{library="libkernels.so"} [0-9.]*$' "$T/out" ||
  fail "seconds: $(cat "$T/out")"
printf '1\t20000\tlib "odd\\name".so\tk0\thit\t3\t0\n' >>"$T/cache/.stats"
stats --metrics
has "a name with quotes" 'ckjit_first_calls_total{library="lib \"odd\\name\".so",result="hit"} 3' \
  "$T/out"
stats --zero
stats --metrics
lacks "nothing is left" after_ready "$T/out"
