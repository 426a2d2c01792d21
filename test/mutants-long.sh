#!/bin/sh
# What docs/reliability.md promises is taken out of the source, one protection at a time, and the test that its row names fails: some 140
# mutants (test/mutants/table.py), a build and a test each. `test/mutants-long.sh 'keys-*' 'compile/turn.c'`: those of a test, a row or a file.
# tier: long
# timeout: 86400
# serial
. "${0%/*}/common.sh"
need python3 make gcc
[ -z "${SANITIZER-}" ] || skip 'the mutants are built without a sanitizer'
PYTHONDONTWRITEBYTECODE=1 WORK="${WORK-$B/mutants}" python3 "$here/mutants/run.py" "$@" || fail 'not every mutant was noticed'
