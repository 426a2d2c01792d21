#!/bin/sh
# A compiler that fails: an exception with the stem, the command, the last lines and the log; every thread and process
# that waited for this compile gets it; a call that comes later compiles again.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
touch "$SHIM_FAIL"

"$T/lib/driver" value 0 1 >"$T/out" && fail "did not throw"
has "stem" "error: ckjit: value0: " "$T/out"
has "reason" "value0: the compiler failed with status 4" "$T/out"
has "command" "command: $T/shim -I" "$T/out"
has "last lines" "  shim.cu:40: error: no such kernel" "$T/out"
has "log" "log: $T/cache/.logs/value0.log" "$T/out"
has "whole log" "shim.cu:1: error" "$T/cache/.logs/value0.log"
has "command in the log" "$T/shim" "$T/cache/.logs/value0.log"
is "lines shown" 20 "$(grep -c 'shim.cu:' "$T/out")"
is "left over" "" "$(find "$T/cache" -name '*.so' -o -name '.tmp-*')"
is "compiles" 1 "$(compiles)"

: >"$SHIM_CALLS"
touch "$SHIM_HOLD"
"$T/lib/driver" errors 32 >"$T/out" &
threads=33 # with its main thread, and ThreadSanitizer's
[ "${SANITIZER-}" != thread ] || threads=34
await 'not all threads are in the call' asleep $! $threads
rm "$SHIM_HOLD"
wait
is "threads" "32 threw" "$(tail -n 1 "$T/out")"
is "compiles of threads" 1 "$(compiles)"

: >"$SHIM_CALLS"
touch "$SHIM_HOLD"
for i in 0 1 2 3 4 5; do
  "$T/lib/driver" value 0 1 >"$T/out.$i" &
done
await 'not all processes wait' waiting 5 "$T/cache"
rm "$SHIM_HOLD"
wait
is "processes" 6 "$(cat "$T"/out.? | grep -c 'the compiler failed with status 4')"
is "compiles of processes" 1 "$(compiles)"

# in one process: the second call tries again
: >"$SHIM_CALLS"
"$T/lib/driver" twice 0 1 >"$T/out"
is "compiles of two calls" 2 "$(compiles)"
rm "$SHIM_FAIL"
is "repaired" 1001 "$("$T/lib/driver" value 0 1)"
is "failures kept" "" "$(ls "$T/cache/.locks")"

# no compiler at all
CK_JIT_HIPCC=/nonexistent "$T/lib/driver" value 1 1 >"$T/out" && fail "did not throw without a compiler"
has "no compiler" "the compiler CK_JIT_HIPCC=/nonexistent is not there" "$T/out"
