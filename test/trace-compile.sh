#!/bin/sh
# CK_JIT_TRACE of ckjit-compile with the real hipcc: the whole, its inputs, each step on a track of its own, the wait for another
# process's compile; what failed, what was stopped; the cache remembers how long the compiler ran.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
. "$here/unit/trace_fixture.sh"
export CK_JIT_TRACE="$T/trace"
source_file "$T/one.cu" 1
compile one || fail "$(cat "$T/one.said")"
traced "$T/trace" '
whole, = of("compile")
assert whole["name"] == "one" and whole["args"]["stem"] == "one" and whole["args"]["status"] == "0" and whole["args"]["archs"] == "gfx90a"
assert len(whole["args"]["build_id"]) == 48 and whole["args"]["compiler"].endswith("/hipcc"), whole
assert names[whole["pid"]] == "ckjit-compile"
steps = {e["name"]: e for e in of("step")}
assert {"driver", "precompiled header", "device pass gfx90a", "host pass", "link"} <= set(steps), steps
assert all(e["args"]["status"] == "0" and e["args"]["command"] and within(e, whole) and e["tid"] != whole["tid"] for e in steps.values())
assert steps["device pass gfx90a"]["ts"] < steps["link"]["ts"]
assert of("place")[0]["ts"] >= max(e["ts"] + e["dur"] for e in steps.values())
assert len(ends) == 1 and ends[next(iter(ends))]["pid"] == whole["pid"]'
# What the cache remembers is the processor time of the steps, without the headers.
"$B/bin/ckjit-prebuild" times --cache-dir "$T/c" >"$T/times"
traced "$T/trace" "
stem, seconds = open('$T/times').read().split()
wanted = sum(float(e['args']['processor_seconds']) for e in of('step') if e['name'] != 'precompiled header')
assert stem == 'one' and 0.05 < wanted and abs(float(seconds) - wanted) < 0.01, (seconds, wanted)"

# Two at once: one waits, and says for what. The first is held before it knows the compiler's commands.
rm "$T/trace"
cat >"$T/hipcc" <<END
#!/bin/sh
while [ -e "$T/hold" ]; do sleep 0.02; done
exec "$hipcc" "\$@"
END
chmod +x "$T/hipcc"
touch "$T/hold"
source_file "$T/two.cu" 2
id=$(printf '%048d' 2)
compile two --hipcc "$T/hipcc" --build-id "$id" & # both of the same key, that is
first=$!
"$B/bin/ckjit-compile" --hipcc "$T/hipcc" --blob-source "$T/two.cu" --blob-flags "-O1 -I$T/early -I$T/include" --arch gfx90a --cache \
  --output "$T/c/two.so" --build-id "$id" >"$T/other" 2>&1 &
second=$!
await 'none waits for the other' waiting 1 "$T/c"
rm "$T/hold"
wait $second || fail "$(cat "$T/other")"
wait $first || fail "$(cat "$T/two.said")"
traced "$T/trace" '
a, b = of("compile")
assert a["pid"] != b["pid"] and {p["pid"] for p in of("step")} < {a["pid"], b["pid"]}
waited, = of("wait")
assert waited["pid"] not in {e["pid"] for e in of("step")} and waited["args"]["stem"] == "two" and waited["dur"] > 1000'

# A failure, by the plain command in the end; and one that is stopped.
rm "$T/trace"
source_file "$T/bad.cu" 3
echo 'no such thing' >>"$T/bad.cu"
if compile bad; then fail 'it compiles'; fi
traced "$T/trace" '
whole, = of("compile")
assert "the compiler failed with status" in whole["args"]["status"], whole
plain, = [e for e in of("step") if e["name"] == "plain command"]
assert plain["args"]["status"] != "0"
assert not of("place")'
rm "$T/trace"
source_file "$T/slow.cu" 4
printf '#!/bin/sh\ncase "$*" in *-###*) exit 1;; esac\ntouch "%s"\nsleep 100000\n' "$T/started" >"$T/slow-hipcc"
chmod +x "$T/slow-hipcc"
hipcc=$T/slow-hipcc
compile slow &
pid=$!
await 'the compiler does not start' test -e "$T/started"
# the whole group of the test is not to be stopped: only ckjit-compile
tr ' ' '\n' <"/proc/$pid/task/$pid/children" | while read -r p; do kill -TERM "$p"; done
wait $pid || true
traced "$T/trace" 'whole, = of("compile"); assert whole["args"]["status"] == "signal 15", whole'
