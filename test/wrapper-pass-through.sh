#!/bin/bash
# What is not recorded reaches the real compiler as it was: arguments byte for byte, standard streams, exit status, signals;
# with the environment of the real home.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
echo 'int f() { return 0; }' >host.cu
# shellcheck disable=SC2016
args=(-c host.cu -o 'a b' '' $'x\ny' '*' '$HOME' -mllvm --a)
SHIM_STATUS=7 ROCM_PATH=$T/h PATH="$T/h/bin/../bin:$PATH:$T/h/bin" "$T/h/bin/hipcc" "${args[@]}" && fail "status 0"
test $? = 7 || fail "exit status"
printf '<%s>\n' "${args[@]}" >want
head -n "$(wc -l <want)" h/real.log | cmp -s - want || fail "arguments: $(cat h/real.log)"
grep -qx "ROCM_PATH=$T/h/real" h/real.log || fail "ROCM_PATH: $(grep ROCM_PATH h/real.log)"
grep -qx "PATH=$PATH" h/real.log || fail "the fake home is still on the PATH: $(grep ^PATH h/real.log)"

printf '#!/bin/sh\ncat; echo error >&2; kill -TERM $$\n' >h/real/bin/hipcc
status=0
(exec "$T/h/bin/hipcc" -E - <host.cu >out 2>err) || status=$?
test $status = 143 || fail "killed by SIGTERM, but status $status"
cmp -s out host.cu || fail "standard input or output"
test "$(cat err)" = error || fail "standard error"

for probe in -v --version -dumpfullversion '-E host.cu' '-x hip -c /dev/null -o /dev/null' '-c host.cu -o /dev/null' -###; do
  rm -f h/wdir/manifest.json.ndjson
  # shellcheck disable=SC2086
  "$T/h/bin/hipcc" $probe </dev/null >/dev/null 2>&1 || true
  test "$(kinds h)" = other || fail "$probe: $(kinds h)"
done
test -c /dev/null || fail "/dev/null is gone"
