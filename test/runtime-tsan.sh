#!/bin/sh
# ThreadSanitizer finds nothing in the runtime: many first calls of two blobs at once, failing ones, and a fork.
# tier: all
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
echo 'int main(void) { return 0; }' >"$T/t.c"
gcc -fsanitize=thread "$T/t.c" -o "$T/t" 2>/dev/null && "$T/t" || skip "no ThreadSanitizer here"
LIB_CFLAGS="-fsanitize=thread" library lib
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"

"$T/lib/driver" threads 32 >"$T/out" 2>&1 || { cat "$T/out"; fail "threads"; }
is "sum" $((32 * 2100)) "$(cat "$T/out")"
touch "$SHIM_FAIL"
rm -rf "$T/cache"
touch "$SHIM_HOLD"
"$T/lib/driver" errors 32 >"$T/out" 2>&1 &
await 'no compile' has_compiled 3
await 'not all threads are in the call' asleep $! 34 # with its main thread and that of ThreadSanitizer
rm "$SHIM_HOLD"
wait $! || { cat "$T/out"; fail "errors"; }
has "errors" "32 threw" "$T/out"
