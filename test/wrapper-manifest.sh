#!/bin/bash
# Parallel calls append whole lines. A line that was torn before does not keep the next one from being written.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
long=$(head -c 5000 /dev/zero | tr '\0' x)
for i in $(seq 1 60); do
  blob "b$i.cu"
  "$T/h/bin/hipcc" -D"$i" -D"$long" -c "b$i.cu" &
done
wait
test "$(kinds h | grep -c blob)" = 60 || fail "$(kinds h | grep -c blob) lines, not 60"
test "$(wc -l <h/wdir/manifest.json.ndjson)" = 60 || fail "lines were torn"
# a full disk: the compiler gets the call, with a warning
if [ -w /dev/full ]; then
  rm h/wdir/manifest.json.ndjson b1.o && ln -s /dev/full h/wdir/manifest.json.ndjson
  "$T/h/bin/hipcc" -c b1.cu 2>err || fail "a full disk: status $?"
  grep -qx '<b1.cu>' h/real.log || fail "a full disk: the compiler was not called"
  grep -q 'No space left' err || fail "$(cat err)"
  test ! -e b1.o || fail "an object without a record"
fi
