#!/bin/bash
# `ckjit trace view`: a page of one file with the totals of the trace, its slowest kernels and its failures; names are texts in it,
# whatever is in them; a trace that is cut off or damaged is summed up without what is lost, and what is no trace is an error that
# leaves the old page.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/page_fixture.sh"
need mkfifo
cd "$T"
ckjit=$B/bin/ckjit

# One process finds a kernel, waits for another one's compile, which fails for the third time; two ckjit-compile after one another.
cat >make.py <<'PY'
import json
out = []
def name(pid, what): out.append(dict(ph="M", name="process_name", cat="__metadata", pid=pid, tid=pid, args=dict(name=what)))
def span(pid, tid, cat, what, ts, dur, **args): out.append(dict(ph="X", name=what, cat=cat, pid=pid, tid=tid, ts=ts, dur=dur, args=args))
out.append(dict(ph="i", name="trace", cat="trace", pid=7, tid=7, ts=1000, s="p", args=dict(seconds="1782907200", host="node<7>", command="python3 job.py " + "x" * 200)))
name(7, "job"), name(8, "ckjit-compile"), name(9, "ckjit-compile"), name(10, "ckjit-compile"), name(11, "ckjit-compile")
span(7, 7, "look up", "look up", 1000, 5, stem="a", status="hit")
span(7, 7, "first call", "a", 1000, 100, stem="a", status="0")
span(7, 7, "look up", "look up", 2000, 5, stem="b", status="miss")
span(9, 900, "step", "device pass", 2200000, 700000, stem="b", status="0", processor_seconds="0.500")
span(9, 9, "compile", "b", 2100000, 900000, stem="b", status="0")
span(7, 7, "compile", "compile", 2010, 2999990, stem="b", status="0")
span(7, 7, "first call", "b", 2000, 3000100, stem="b", status="0")
span(7, 71, "wait", "wait", 2500, 2999000, stem="b", status="0")
span(7, 71, "first call", "b", 2400, 2999500, stem="b", status="0")
span(10, 1000, "step", "host pass", 3200000, 100000, stem="c", status="1", processor_seconds="0.1")
span(10, 10, "compile", "c", 3100000, 400000, stem="c", status="1")
span(7, 7, "compile", "compile", 3050000, 500000, stem="c", status="1")
span(7, 7, "first call", "c", 3050000, 500100, stem="c", status="the compile failed")
span(11, 11, "inputs", "inputs", 2500000, 1000, stem="b", status="0")
span(8, 8, "compile", "b", 2020, 50000, stem="b", status="0")
text = "[" + "\n,".join(json.dumps(e) for e in out) + "\n"
open("trace.json", "w").write(text)
PY
python3 make.py
"$ckjit" trace view trace.json >out 2>err || fail "$(cat err)"
[ "$(cat out)" = trace.html ] && [ ! -s err ] || fail "said: $(cat out err)"
paged trace.html '
assert title == "trace.json: python3 job.py " + "x" * 85 + "…" and sub == "First calls, compiles and waits · 2026-07-01 12:00:00 UTC · node<7>", (title, sub)
assert totals["In all"] == ("3.55 s", "15 spans of 5 processes") and not notes, totals
assert totals["First calls"] == ("4", "1 hit, 3 misses") and totals["Failed"] == ("1", "first calls"), totals
assert totals["Compiles"][0] == "2" and totals["Compiling"][0] == "1.30 s" and totals["Callers waited"] == ("6.50 s", "the longest call 3.00 s"), totals
assert totals["Waited for others"][0] == "3.00 s", totals
failed = tables["All failed spans, in order of time"]
assert [r[2:] for r in failed[1:]] == [["first call", "c", "job 7", "the compile failed"], ["compile", "compile", "job 7", "1"],
  ["compile", "c", "ckjit-compile 10", "1"], ["step", "host pass", "ckjit-compile 10", "1"]], failed
kernels = tables["Kernels, the slowest first"]
assert kernels[1] == ["b", "2", "2", "3.00 s", "1", "0.90 s", "0.50 s", ""] and kernels[2][:2] == ["c", "1"] and kernels[2][7] == "1", kernels
assert kernels[3][:3] == ["a", "1", ""], kernels
assert len(tables["All spans, in order of time"]) == 16 and ["0.000 s", "0.1 ms", "first call", "a", "job 7", "0"] in tables["All spans, in order of time"]
assert ["first call", "4", "6.50 s", "1.62 s", "3.00 s", "1"] in tables["What took the time"], tables["What took the time"]
# the compile and the call that waits for it are two things, or their time would count twice
assert ["compile", "3", "1.35 s", "0.45 s", "0.90 s", "1"] in tables["What took the time"], tables["What took the time"]
assert ["call of ckjit-compile", "2", "3.50 s", "1.75 s", "3.00 s", "1"] in tables["What took the time"], tables["What took the time"]'

# A step that was skipped is no failure; a span within another of its category counts once; times are to the second; a trace without an origin
python3 - <<'PY'
import json
span = lambda tid, cat, what, ts, dur, **args: json.dumps(dict(ph="X", name=what, cat=cat, pid=5, tid=tid, ts=ts, dur=dur, args=args))
open("steps.json", "w").write("[" + "\n,".join([
    span(5, "step", "host pass", 0, 100000, stem="a", status="skipped"), span(6, "step", "device pass", 0, 200000, stem="a", status="1"),
    span(7, "build step", "fwd", 0, 272400000, status="0"), span(7, "build step", "generate", 1000, 100000000, status="0"),
    span(8, "build", "total", 0, 7325000000, status="0")]) + "\n")
PY
"$ckjit" trace view steps.json >/dev/null || fail 'steps'
paged steps.html '
assert title == "steps.json" and sub == "Build steps and compiles", (title, sub)
took = tables["What took the time"]
assert ["step", "2", "0.30 s", "0.15 s", "0.20 s", "1"] in took and ["build step", "1", "4 min 32 s", "4 min 32 s", "4 min 32 s", ""] in took, took
assert totals["In all"][0] == "2 h 02 min 05 s" and [r[3] for r in tables["All failed spans, in order of time"][1:]] == ["device pass"], totals'

# every way in and out: standard input and output, a pipe, a link that stays one, another name
"$ckjit" trace view - <trace.json >piped.html || fail 'through pipes'
sed 's/>trace:/>trace.json:/' piped.html | cmp -s - trace.html || fail 'standard output has another page'
sed "" trace.json | "$ckjit" trace view --output=- - | cmp -s - piped.html || fail '--output=-'
cp trace.json noend
: >target.html && ln -s "$T/target.html" link.html
"$ckjit" trace view -o link.html noend >/dev/null || fail 'to a link'
[ -L link.html ] && [ -s target.html ] || fail 'the link was replaced'
"$ckjit" trace view noend | grep -qx noend.html || fail 'the name of the page'

# Names of any kind: they are texts.
cat >hostile.py <<'PY'
import json
names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a\u2028b\u2029c", "\"'&amp;<!--", "]]>--></style>", "\\u003c", "\u202egnp.exe", "@data@", "@script@",
         "\x01\x1f\x7f\ttab\nline", "größe☃𝄞", "%s%n", "`${alert(1)}`"]
events = [dict(ph="M", name="process_name", cat="__metadata", pid=1, tid=1, args=dict(name=names[0]))]
for i, n in enumerate(names):
    events.append(dict(ph="X", name=n, cat=n, pid=1, tid=1, ts=i * 10, dur=9, args={"stem": n, n: n, "status": n, "library": n}))
open("<script>&amp;.json", "w").write("[" + ",".join(json.dumps(e) + "\n" for e in events))
json.dump(names, open("names.json", "w"))
PY
python3 hostile.py
"$ckjit" trace view -o hostile.html '<script>&amp;.json' >/dev/null || fail 'names of any kind'
paged hostile.html '
names = json.load(open("names.json"))
assert title == "<script>&amp;.json", title
shown = ["".join("\ufffd" if c < " " or c == "\x7f" else c for c in n) for n in names]
assert [r[3] for r in tables["All spans, in order of time"][1:]] == shown
assert sorted(r[0] for r in tables["Kernels, the slowest first"][1:]) == sorted(shown)'

# cut off at every byte of its last line, and a line that a full disk left within: what is whole is shown
size=$(wc -c <trace.json)
for less in 1 2 40 100; do
  head -c $((size - less)) trace.json >cut.json
  "$ckjit" trace view cut.json >/dev/null 2>err && [ ! -s err ] || fail "cut by $less: $(cat err)"
  if [ $less -gt 1 ]; then
    paged cut.html 'assert totals["In all"][1].startswith("14 spans") and "cut off" in notes[0], notes'
  fi
done
{ head -n 5 trace.json && printf ',{"ph":"X","na\n\0\0\0\0\nword\n' && tail -n +6 trace.json && echo ']'; } >torn.json
"$ckjit" trace view torn.json >/dev/null 2>err || fail "torn: $(cat err)"
has torn 'ckjit: warning: torn.json: lines that are no events, and are left out: 3' err
paged torn.html 'assert totals["In all"][1].startswith("15 spans") and "3" in notes[0]'
{ cat trace.json && cat trace.json; } >twice.json # two files, one behind the other
"$ckjit" trace view twice.json >/dev/null 2>err && [ ! -s err ] || fail "twice: $(cat err)"

# refused STATUS TEXT WORD…: an error, and the page that was there stays
refused() {
  wanted=$1 words=$2 status=0
  shift 2
  echo old >old.html
  "$ckjit" trace "$@" >out 2>err || status=$?
  [ "$status" = "$wanted" ] && [ ! -s out ] || fail "$*: status $status: $(cat out err)"
  has "$*" "ckjit: error: $words" err
  [ "$(cat old.html)" = old ] || fail "$*: the old page was changed"
  [ -z "$(find . -name '*.tmp-*')" ] || fail "$*: left $(find . -name '*.tmp-*')"
}
: >empty
echo '{"traceEvents":[]}' >foreign
printf '[{"ph":"X","na' >first
head -n 5 trace.json >names
head -c 300000 /dev/urandom >noise
head -c 300000 /dev/zero | tr '\0' '[' >deep
echo '[1]' >number
expected='expected a file of CK_JIT_TRACE, or of ckjit full --trace'
refused 1 "empty: is empty; $expected" view -o old.html empty
refused 1 "foreign: its first line is no event of a trace; $expected" view -o old.html foreign
refused 1 "first: ends within its first event; $expected" view -o old.html first
refused 1 "names: has no call, compile or other span yet; $expected" view -o old.html names
refused 1 "noise: its first line is no event" view -o old.html noise
refused 1 'deep: ' view -o old.html deep
refused 1 "number: its first line is no event" view -o old.html number
refused 1 'none: cannot be read: No such file' view -o old.html none
refused 1 '.: cannot be read: Is a directory' view -o old.html .
refused 1 '--output .: it is a directory; expected a file' view -o . trace.json
refused 1 '--output none/a.html: cannot be written: No such file' view -o none/a.html trace.json
refused 2 '--output trace.json: is the trace; expected another file' view -o trace.json trace.json
refused 2 'trace: expected view FILE; see ckjit trace --help'
refused 2 "trace: expected view FILE, found 'vew'" vew trace.json
refused 2 'trace view: expected FILE' view
refused 2 "trace view: unexpected argument 'b'" view a b
refused 2 "unknown option '--jsn'" view --jsn trace.json
status=0
"$ckjit" trace view -o - trace.json >/dev/full 2>err || status=$?
[ "$status" = 1 ] || fail "a full disk: status $status"
has 'a full disk' 'ckjit: error: standard output cannot be written: No space left' err

# A large one: in little time and memory.
python3 - <<'PY'
with open("large.json", "w") as f:
    f.write('[{"ph":"M","name":"process_name","cat":"__metadata","pid":1,"tid":1,"args":{"name":"job"}}\n')
    for i in range(200000):
        f.write(',{"ph":"X","name":"kernel_%d","cat":"first call","pid":%d,"tid":%d,"ts":%d,"dur":%d,"args":{"stem":"kernel_%d","status":"0"}}\n'
                % (i % 1000, i // 500 + 1, i // 500 + 1, i * 10, i % 1009 // 102 + 1, i % 1000))
PY
(ulimit -v 1000000 && timeout 60 "$ckjit" trace view large.json >/dev/null 2>err) || [ "${SANITIZER-}" ] || fail "a large one: $(cat err)"
[ "${SANITIZER-}" ] || paged large.html '
assert totals["First calls"][0] == "200000" and len(tables["The 500 longest of 200000 spans, in order of time"]) == 501, totals
assert len(tables["The 500 slowest of 1000 kernels"]) == 501'
