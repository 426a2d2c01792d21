#!/bin/sh
# 512 threads make their first calls at once: each blob is compiled once, everybody is right; where it cannot be compiled,
# everybody gets that one message. A thread with a small stack, 128 KiB, can make a first call, and be told of a failure.
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 40
echo 500 >"$T/lib/control/k0.sleep"
is "sum" $((512 * 28000)) "$(hostile lib threads 512 8)"
is "compiles" 8 "$(started lib)"
is "again" $((512 * 28000)) "$(hostile lib threads 512 8)"
is "compiles again" 8 "$(started lib)"

touch "$T/lib/control/k9.fail"
echo 500 >"$T/lib/control/k9.sleep"
hostile lib errors 512 9 >"$T/out"
is "messages" 1 "$(grep -c ' times: ' "$T/out")"
has "message" "512 times: ckjit: k9: " "$T/out"
is "compiles of what fails" 1 "$(started lib k9)"

is "small stack" 10005 "$(hostile lib stack 131072 10 5)"
is "small stack, from the cache" 10006 "$(hostile lib stack 131072 10 6)"
# the longest message there is
head -c 100000 /dev/zero | tr '\0' x | fold -w 300 >"$T/lib/control/k11.fail"
hostile lib stack 131072 11 5 >"$T/out" && fail "small stack: no error"
has "small stack" "k11: the compiler failed with status 4" "$T/out"
has "small stack" "xxxxxxxxxxx" "$T/out"
