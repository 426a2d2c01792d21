#!/bin/sh
# `stats` tells what became of first calls: hits, misses, waits for another process, compiles and failures, by library, day and kernel, with what they
# took and what hits saved. A child of fork counts its own calls alone. What stands in place of the counts, a torn line and a read-only cache
# cost no call anything; sums take the place of many lines; --zero begins anew beside running jobs, CK_JIT_STATS=0 counts nothing.
# tier: all
# seconds: 5
. "${0%/*}/common.sh"
need python3
. "$here/unit/runtime_fixture.sh"
export CK_JIT_WARM=0
stats=$T/cache/.stats
many lib 40
api quiet # compiles it
lib=$T/lib/libkernels.so
# calls N…: a process that calls these kernels
calls() {
  words=
  for n; do words="$words stub:_Z6value_ILi${n}EEii:1"; done
  # shellcheck disable=SC2086 # words
  "$T/api" "open:$lib" $words >"$T/out" 2>"$T/err" || fail "calls: $(cat "$T/err")"
  [ ! -s "$T/err" ] || fail "said: $(cat "$T/err")"
}
# told TEXT: what of the JSON is so, as a Python expression of it: s
told() {
  "$B/bin/ckjit-prebuild" stats --json >"$T/json" 2>"$T/err" || fail "$(cat "$T/err")"
  python3 -c "
import json, sys
s = json.load(open('$T/json'))
t = s['total']
kernels = {k['stem']: k for k in s['kernels']}
if not ($1):
    sys.exit(json.dumps(t) + ' ' + json.dumps(s['libraries']))" 2>"$T/err" || fail "not $1: $(cat "$T/err")"
}

# none
mkdir -m 700 "$T/cache"
"$B/bin/ckjit-prebuild" stats >"$T/out"
is "none" "$T/cache has no counts yet" "$(cat "$T/out")"
told 't["hits"] == t["misses"] == 0 and s["since"] is None and s["kernels"] == []'

# misses, then hits: each call once, whoever asks first
calls 0 1
told 't["misses"] == 2 and t["compiles"] == 2 and t["hits"] == t["waits"] == t["failures"] == t["failed_compiles"] == 0'
printf 'k0\t100\nk1\t20\n' >>"$T/cache/.times"
calls 0 1
calls 1 1 1
told 't["hits"] == 3 and t["misses"] == 2 and t["saved_seconds"] == 140 and t["hits_of_known_time"] == 3'
told 'kernels["k0"]["hits"] == 1 and kernels["k1"]["hits"] == 2 and kernels["k1"]["saved_seconds"] == 40 and kernels["k1"]["misses"] == 1'
told '[x["library"] for x in s["libraries"]] == ["libkernels.so"] and s["libraries"][0]["compiles"] == 2 and kernels["k0"]["library"] == "libkernels.so"'
told 'sum(d["hits"] for d in s["days"]) == 3 and s["days"][-1]["day"] == s["since"] and s["bad_lines"] == 0 and not s["full"]'
"$B/bin/ckjit" stats >"$T/out"
has "a total" "First calls: 5, 60.0% of them hits" "$T/out"
grep -qE '^ +3 +2 +0 +2 +0\.[0-9]+ s +0\.[0-9]+ s +2 min +libkernels\.so$' "$T/out" || fail "$(cat "$T/out")"
# sorted by what calls waited for; ten of them
calls 2 3 4 5 6 7 8 9 10 11 12 13
"$B/bin/ckjit" stats | grep -q '  and 4 kernels more; --verbose prints all$' || fail "$("$B/bin/ckjit" stats)"
is "all" 14 "$("$B/bin/ckjit" stats --verbose | sed -n '/^By kernel/,$p' | grep -c ' k[0-9]*$')"

# more first calls than are kept back
all=$(seq 0 39)
# shellcheck disable=SC2086 # words
calls $all
# shellcheck disable=SC2086
calls $all $all $all $all
told 't["misses"] == 40 and t["hits"] == 3 + 14 + 40'

# a wait: two processes, one compile
rm "$T/cache/k5.so"
: >"$T/lib/control/k5.hold"
"$T/api" "open:$lib" stub:_Z6value_ILi5EEii:1 >"$T/one" &
one=$!
await "the compile" has_started lib 2 k5
"$T/api" "open:$lib" stub:_Z6value_ILi5EEii:1 >"$T/two" &
two=$!
sleep 0.3
rm "$T/lib/control/k5.hold"
wait "$one" "$two"
told 't["waits"] == 1 and t["misses"] == 42 and t["compiles"] == 41 and kernels["k5"]["waits"] == 1 and kernels["k5"]["waited_seconds"] >= 0.3'

# a child of fork has its own calls; those of its parent are written once
rm "$stats"
"$T/api" "open:$lib" stub:_Z6value_ILi1EEii:1 fork stub:_Z6value_ILi2EEii:1 >"$T/out"
told 't["hits"] == 2 and kernels["k1"]["hits"] == kernels["k2"]["hits"] == 1'

# a library that is unloaded
"$T/hostile" "$lib" reload 3 2 3 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
told 't["hits"] > 2'

# a compile that fails
rm -f "$stats" "$T/cache/k7.so"
: >"$T/lib/control/k7.fail"
"$T/api" "open:$lib" compile:k7:store >"$T/out" 2>&1 && fail "it did not fail"
told 't["failures"] == 1 and t["failed_compiles"] == 1 and t["misses"] == 1 and t["compiles"] == 0'
"$B/bin/ckjit" stats >"$T/out"
has "what failed" "Failed: 1 call, 1 compile" "$T/out"
rm "$T/lib/control/k7.fail"

# nothing is counted
rm "$stats"
CK_JIT_STATS=0 calls 1 2 7
[ ! -e "$stats" ] || fail "counted: $(cat "$stats")"
CK_JIT_STATS=perhaps "$B/bin/ckjit" stats 2>&1 | grep -q "CK_JIT_STATS='perhaps': expected 0 or 1; using 1" || fail 'CK_JIT_STATS=perhaps'

# bad lines, and half a one in front of a good one
printf '\000\377\n1\t20000\tl\tk\thit\n2\t20000\tl\tk\thit\t1\t0\n1\t20000\tl\tk\tmiss\t1\t0\n1\t-1\tl\tk\thit\t1\t0\n1\t20000\tl\tk\thit\t1\t0\t0\n\n1\t\tl\t\thit\t1\t0\n1\t20000\tl\tk\thit\t99999999999999999999\t0\n1\t20000\tlib' >"$stats"
calls 1
calls 2
told 't["hits"] == 1 and s["bad_lines"] == 10'

# what is no file of counts: calls go on in silence, stats says so
for what in directory link fifo; do
  rm -rf "$stats"
  case $what in
  directory) mkdir "$stats" ;;
  link) ln -s "$T/elsewhere" "$stats" ;;
  *) mkfifo "$stats" ;;
  esac
  calls 1
  calls 2
  "$B/bin/ckjit" stats >"$T/out" 2>"$T/err" && fail "$what: $(cat "$T/out")"
  grep -qE "^ckjit: error: stats: $stats: .*remove it" "$T/err" || fail "$what: $(cat "$T/err")"
  "$B/bin/ckjit" stats --zero >"$T/out" 2>"$T/err" && fail "$what: $(cat "$T/out")"
  grep -q "$stats: expected a file of counts, but it is not a regular file; remove it" "$T/err" || fail "$what: $(cat "$T/err")"
done
[ ! -e "$T/elsewhere" ] || fail 'a link was followed'
rm "$stats"

# a full one: nothing is added, and that is told; then sums
calls 1
yes "$(printf '1\t20000\tlibother.so\tother\thit\t1\t0\n1\t20001\t\tother\tmade\t1\t7')" | head -c 17000000 >>"$stats"
echo >>"$stats"
size=$(wc -c <"$stats")
calls 2
is "a full file" "$size" "$(wc -c <"$stats")"
"$B/bin/ckjit-prebuild" stats --json >"$T/before" 2>"$T/err"
has "that it is full" 'ckjit-prebuild: note: the file of counts was full, so some calls were not counted' "$T/err"
[ "$(wc -c <"$stats")" -lt 1000 ] || fail "$(wc -c <"$stats") bytes"
told 's["bad_lines"] == 0 and not s["full"]'
python3 - "$T/before" "$T/json" <<'P' || fail 'sums are not what they are of'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
for s in a, b:
    del s["bad_lines"], s["full"]
assert a == b, (a, b)
assert a["total"]["hits"] > 100000 and a["total"]["compiles"] > 100000 and len(a["days"]) == 3
assert {l["library"] for l in a["libraries"]} == {"libother.so", "libkernels.so"}
P
# ckjit-compile makes sums as well
yes "$(printf '1\t20000\tlibother.so\tother\thit\t1\t0')" | head -n 200000 >>"$stats"
rm "$T/cache/k3.so"
calls 3
[ "$(wc -c <"$stats")" -lt 2000 ] || fail "$(wc -c <"$stats") bytes after a compile"
told 'kernels["k3"]["misses"] == 1'

# a process whose files may not grow
rm "$stats"
calls 1
is "it goes on" 1001 "$( (ulimit -f 0 && exec "$T/api" "open:$lib" stub:_Z6value_ILi1EEii:1) | tail -n 1)"
told 't["hits"] == 1'

# --zero, beside running jobs
"$B/bin/ckjit" stats --zero >"$T/out"
is "zero" "all counts of $T/cache are now zero" "$(cat "$T/out")"
told 't["hits"] == 0'
for _ in 1 2 3 4; do
  # shellcheck disable=SC2086
  (for _ in 1 2 3; do calls $all; done) &
done
for _ in 1 2 3 4 5 6; do "$B/bin/ckjit" stats --zero >/dev/null || fail 'zero'; done
wait
told 't["hits"] <= 480 and s["bad_lines"] == 0'
"$B/bin/ckjit" stats --zero >/dev/null
# shellcheck disable=SC2086
calls $all
told 't["hits"] == 40'

# of another directory
is "no cache" 1 "$("$B/bin/ckjit" stats --cache-dir "$T/none" 2>"$T/err" >/dev/null || echo $?)"
is "usage" 2 "$("$B/bin/ckjit" stats --zero --json 2>"$T/err" >/dev/null || echo $?)"
has "usage" 'ckjit: error: stats: --json and --zero exclude each other' "$T/err"
is "usage" 2 "$("$B/bin/ckjit" cache --zero 2>"$T/err" >/dev/null || echo $?)"
is "usage" 2 "$("$B/bin/ckjit" stats k1 2>"$T/err" >/dev/null || echo $?)"

# clean --all removes it, and not what only begins so
touch "$T/cache/.statsheet"
"$B/bin/ckjit-prebuild" clean --all >/dev/null
[ ! -e "$stats" ] && [ -e "$T/cache/.statsheet" ] || fail "left: $(ls -A "$T/cache")"
