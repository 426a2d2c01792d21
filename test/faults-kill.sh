#!/bin/sh
# SIGKILL at a system call of the calling process, of ckjit-compile (both processes, the compiler) and of ckjit-prebuild: the next call
# is right, and nothing is left. While another process waits for the same kernel, and without. COUNT=0: at each of them; by itself 150. SEED chooses.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "$here/unit/faults_fixture.sh"
status=0
python3 "$here/faults/inject.py" kill "$B" "$T" "${COUNT-150}" "${SEED-1}" >"$T/result" || status=$?
cat "$T/result"
[ $status = 77 ] && skip "$(cat "$T/result")"
[ $status = 0 ] || fail "a killed process left something behind"
