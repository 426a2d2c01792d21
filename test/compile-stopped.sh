#!/bin/sh
# The process that holds a lock was stopped (SIGSTOP): those who wait go on after CK_JIT_LOCK_PATIENCE seconds without a sign of life.
# One that is only slow is waited for. The stopped one, when it goes on, does no harm.
# tier: all
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver
export CK_JIT_LOCK_PATIENCE=3

SHIM_SLEEP=5 "$driver" value 0 5 >"$T/slow" &
while [ "$(compiles)" = 0 ]; do sleep 0.05; done
is "behind a slow one" 1005 "$("$driver" value 0 5)"
wait
is "slow" 1005 "$(cat "$T/slow")"
is "compiles" 1 "$(compiles)"

: >"$SHIM_CALLS"
SHIM_SLEEP=2 "$driver" value 1 5 >"$T/stopped" &
while [ "$(compiles)" = 0 ]; do sleep 0.05; done
stopped=$(pgrep -f -- "--output $T/cache/value1.so")
# shellcheck disable=SC2086 # several
kill -STOP $stopped
is "behind a stopped one" 1105 "$("$driver" value 1 5)"
is "compiles, stopped" 2 "$(compiles)"
# shellcheck disable=SC2086
kill -CONT $stopped
wait
is "the one that was stopped" 1105 "$(cat "$T/stopped")"
is "left" "" "$(find "$T/cache" -name '.tmp-*' -o -path '*/.locks/*')"
is "afterwards" 1105 "$(CK_JIT_HIPCC=/nonexistent "$driver" value 1 5)"
