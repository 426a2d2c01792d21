#!/bin/sh
# ENOSPC, EROFS, EMFILE, EINTR, EACCES, EIO, ENOMEM and ESTALE of the system calls that the cache protocol stands on, in the calling process and in
# ckjit-compile: the call is right or says what failed; the next one is right, and nothing is left. COUNT=0: all
# 3456 points; by itself 150, others each time. SEED=N: those of an earlier run, which has said its number.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "$here/unit/faults_fixture.sh"
seed
status=0
python3 "$here/faults/inject.py" errors "$B" "$T" "${COUNT-150}" "$SEED" >"$T/result" || status=$?
cat "$T/result"
[ $status = 77 ] && skip "$(cat "$T/result")"
[ $status = 0 ] || fail "a system call that failed was not survived"
