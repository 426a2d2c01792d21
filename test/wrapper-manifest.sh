#!/bin/bash
# Parallel calls append whole lines. A line that was torn before does not keep the next one from being written. A list that
# cannot be written to leaves the call to the compiler.
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
# no_record WHAT TEXT: the compiler gets the call, with a warning that has TEXT
no_record() {
  rm -f b1.o h/real.log
  "$T/h/bin/hipcc" -c b1.cu 2>err || fail "$1: status $?"
  grep -qx '<b1.cu>' h/real.log || fail "$1: the compiler was not called"
  has "$1" "$2" err
  test ! -e b1.o || fail "$1: an object without a record"
}
# the list of calls is a link, which is not followed; a full disk
rm h/wdir/manifest.json.ndjson && ln -s "$T/elsewhere" h/wdir/manifest.json.ndjson
no_record 'a link' 'Too many levels of symbolic links'
test ! -e elsewhere || fail 'the link is followed'
rm h/wdir/manifest.json.ndjson
if mknod h/wdir/manifest.json.ndjson c 1 7 2>/dev/null && [ -w h/wdir/manifest.json.ndjson ]; then
  no_record 'a full disk' 'No space left'
fi
