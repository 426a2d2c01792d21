#!/bin/sh
# Where there is nothing to throw with, or CK_JIT_ON_ERROR=abort, a failure is printed and ends the process.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
LIB_NO_THROW=1 library plain
touch "$SHIM_FAIL"

status=0
CK_JIT_ON_ERROR=abort "$T/lib/driver" value 0 1 >"$T/out" 2>"$T/err" || status=$?
is "status" 134 "$status"
has "message" "ckjit: error: value0: " "$T/err"
is "output" "" "$(cat "$T/out")"

status=0
"$T/plain/driver" value 0 1 2>"$T/err" || status=$?
is "status without ckjit_throw" 134 "$status"
has "message without ckjit_throw" "log: $T/cache/.logs/value0.log" "$T/err"
