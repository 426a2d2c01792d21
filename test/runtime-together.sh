#!/bin/sh
# The kernels of a dispatcher's row compile side by side: the first of them to be called starts the compiles of all, and returns as soon
# as its own is there. Within CK_JIT_JOBS and memory, each once however many processes call, until the job ends; and a row of which a
# kernel cannot be compiled fails when that is called, as ever.
# tier: check
# seconds: 9
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
export LIB_ROWS=1 CK_JIT_JOBS=4 CK_JIT_JOB_MEMORY=0 CK_JIT_VERBOSE=1 # however little memory other tests leave
unset CK_JIT_WARM
many lib 6
lib=$T/lib/libkernels.so control=$T/lib/control
# anew: an empty cache and an empty log
anew() {
  rm -rf "${T:?}/cache" "${control:?}"/*
  : >"$T/lib/log"
}
# order: the log, "+k0" for a start and "-k0" for an end
order() {
  sed -n 's/^start \([^ ]*\) .*/+\1/p; s/^end \([^ ]*\) .*/-\1/p' "$T/lib/log" | tr '\n' ' '
}
# pids TEXT...: the processes whose command has all of them; idle TEXT: there is none
pids() {
  python3 - "$@" <<'END'
import glob, os, sys
for name in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        with open(name, "rb") as f:
            command = f.read().replace(b"\0", b" ")
    except OSError:
        continue
    if all(os.fsencode(text) in command for text in sys.argv[1:]) and int(name.split("/")[2]) != os.getpid():
        print(name.split("/")[2])
END
}
idle() {
  [ -z "$(pids "$1")" ]
}
has_waiting() {
  [ "$(pids "--output $T/cache/k0.so" | wc -l)" -ge $((2 * $1)) ]
}
says() {
  grep -q "$1" "$T/err"
}

# side by side: all three are started while none can end, each once
anew
touch "$control/hold"
api "open:$lib" stub:row:1 >"$T/out" 2>"$T/err" &
await "three compiles at once" has_started lib 3
rm "$control/hold"
wait $!
is "the row" 3003 "$(cat "$T/out")"
is "each once" 3 "$(started lib)"
is "an earlier process's are found" 3006 "$(api "open:$lib" stub:row:2 2>"$T/err")"
is "nothing is compiled again" 3 "$(started lib)"
lacks "a cached row starts nothing" 'beside' "$T/err"

# the first call returns as soon as its own is there, and only what is missing is started
anew
touch "$control/k1.hold" "$control/k2.hold"
api "open:$lib" stub:row:1 >"$T/out" 2>"$T/err" &
await "k0 is loaded, k1 and k2 being compiled" says '^ckjit: k0: loaded from'
await "k1 and k2 are started" has_started lib 3
is "both go on" 1 "$(grep -c '^end' "$T/lib/log")"
rm "$control"/*.hold
wait $!
is "the row" 3003 "$(cat "$T/out")"
touch "$control/k3.hold"
api "open:$lib" stub:other:1 >"$T/out" 2>"$T/err" &
await "k3" has_started lib 1 k3
rm "$control/k3.hold"
wait $!
is "another row with k0" 3003 "$(cat "$T/out")"
is "k0 is there, k1 and k2 are not of it" 4 "$(started lib)"

# not beside it: switched off, one compiler at a time, no memory; nothing at all with CK_JIT_ON_MISS=error
for setting in CK_JIT_WARM=0 CK_JIT_JOBS=1 CK_JIT_JOB_MEMORY=9999T; do
  anew
  is "$setting" 3003 "$(env "$setting" "$T/api" "open:$lib" stub:row:1 2>"$T/err")"
  is "$setting: one after another" "+k0 -k0 +k1 -k1 +k2 -k2 " "$(order)"
done
anew
CK_JIT_ON_MISS=error api "open:$lib" stub:row:1 >"$T/out" 2>"$T/err" || true
is "CK_JIT_ON_MISS=error" 0 "$(started lib)"
is "without a cache" 3003 "$(CK_JIT_DISABLE_FILE_CACHING=1 api "open:$lib" stub:row:1 2>"$T/err")"
is "without a cache, one after another" "+k0 -k0 +k1 -k1 +k2 -k2 " "$(order)"

# one beside the call's own with two jobs
anew
touch "$control/hold"
CK_JIT_JOBS=2 api "open:$lib" stub:row:1 >"$T/out" 2>"$T/err" &
await "two compiles at once" has_started lib 2
rm "$control/hold"
wait $!
is "the row" 3003 "$(cat "$T/out")"
is "each once" 3 "$(started lib)"
await "the helper ends" idle "$T/lib/ck_jit/"
first=$(order)
case $first in
"+k0 +k1 "* | "+k1 +k0 "*) ;;
*) fail "not two at once: $first" ;;
esac

# they end with the job
anew
touch "$control/k1.hold" "$control/k2.hold"
"$T/api" "open:$lib" stub:row:1 >"$T/out" 2>"$T/err" &
job=$!
await "three compiles" has_started lib 3
await "k0 is loaded" says '^ckjit: k0: loaded from'
await "the job waits for k1" says '^ckjit: k1: compiling'
kill -9 $job
wait $job 2>"$T/killed" || true
await "k2's compile ends with the job" idle "$T/cache/k2.so"
rm "$control"/*.hold
await "nothing is left" idle "$T/cache/"
is "the cache has no directory of a compile" "" "$(find "$T/cache" -maxdepth 1 -name '.tmp-*')"
lacks "k2 was not finished" '^end k2' "$T/lib/log"

# a helper that is killed costs nothing
anew
touch "$control/k1.hold" "$control/k2.hold"
api "open:$lib" stub:row:1 >"$T/out" 2>"$T/err" &
await "three compiles" has_started lib 3
# shellcheck disable=SC2046 # numbers
kill -9 $(pids "$T/lib/ck_jit/ckjit-compile --ahead")
rm "$control"/*.hold
wait $!
is "a killed helper" 3003 "$(cat "$T/out")"

# a kernel that cannot be compiled fails its own call, with the compiler's message, and no other
anew
echo 3 >"$control/k1.fail"
CK_JIT_ON_ERROR=abort api "open:$lib" stub:row:1 >"$T/out" 2>"$T/err" && fail "a kernel that cannot be compiled is there"
has "it is k1 that fails" "ckjit: error: k1: " "$T/err"
says '^ckjit: k0: loaded from' || fail "k0 was not loaded: $(cat "$T/err")"

# sixteen processes at once: each kernel once
anew
touch "$control/hold"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  "$T/api" "open:$lib" stub:row:1 >"$T/out.$i" 2>/dev/null &
done
await "three compiles" has_started lib 3
# a keeper and a worker for each of two kernels; those of other helpers have left them to these, those too that found no lock at first
few() {
  [ "$(pids --unless-busy "$T/lib/ck_jit/" | wc -l)" -le 4 ]
}
await "all sixteen wait for k0" has_waiting 16
await "one compile for each kernel" few
rm "$control/hold"
wait
is "all have it" 16 "$(cat "$T"/out.* | grep -cx 3003)"
is "each once" 3 "$(started lib)"
await "all helpers end" idle "$T/lib/ck_jit/"
