#!/bin/sh
# The process that holds a lock was stopped (SIGSTOP): those who wait go on after CK_JIT_LOCK_PATIENCE seconds without a sign of life.
# One that is only slow is waited for. The stopped one, when it goes on, does no harm.
# tier: all
# seconds: 12
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver

# Slow: it is held for longer than the patience. It shows life each second; where even that is too slow, for want of a processor, it is
# tried again with more patience.
for CK_JIT_LOCK_PATIENCE in 3 12 60; do
  export CK_JIT_LOCK_PATIENCE
  rm -rf "$T/cache"
  : >"$SHIM_CALLS"
  touch "$SHIM_HOLD"
  "$driver" value 0 5 >"$T/slow" &
  await 'no compile' has_compiled 1
  (sleep $((CK_JIT_LOCK_PATIENCE + 2)) && rm "$SHIM_HOLD") &
  is "behind a slow one" 1005 "$("$driver" value 0 5)"
  wait
  is "slow" 1005 "$(cat "$T/slow")"
  [ "$(compiles)" != 1 ] || break
done
is "compiles" 1 "$(compiles)"

export CK_JIT_LOCK_PATIENCE=3
: >"$SHIM_CALLS"
touch "$SHIM_HOLD"
"$driver" value 1 5 >"$T/stopped" &
await 'no compile' has_compiled 1
stopped=$(pgrep -f -- "--output $T/cache/value1.so")
# shellcheck disable=SC2086 # several
kill -STOP $stopped
rm "$SHIM_HOLD"
is "behind a stopped one" 1105 "$("$driver" value 1 5)"
is "compiles, stopped" 2 "$(compiles)"
# shellcheck disable=SC2086
kill -CONT $stopped
wait
is "the one that was stopped" 1105 "$(cat "$T/stopped")"
is "left" "" "$(find "$T/cache" -name '.tmp-*' -o -path '*/.locks/*')"
is "afterwards" 1105 "$(CK_JIT_HIPCC=/nonexistent "$driver" value 1 5)"
