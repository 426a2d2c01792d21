#!/bin/sh
# SIGKILL at a system call of the calling process, of ckjit-compile (both processes, the compiler) and of ckjit-prebuild: the next call
# is right, and nothing is left. While another process waits for the same kernel, and without. COUNT=0: at each of them; by itself 150,
# others each time. SEED=N: those of an earlier run, which has said its number.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "$here/unit/faults_fixture.sh"
seed
status=0
python3 "$here/faults/inject.py" kill "$B" "$T" "${COUNT-150}" "$SEED" >"$T/result" || status=$?
cat "$T/result"
[ $status = 77 ] && skip "$(cat "$T/result")"
[ $status = 0 ] || fail "a killed process left something behind"
