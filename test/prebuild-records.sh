#!/bin/sh
# The wrapper's NDJSON can be listed like a manifest, a torn or foreign line in it is named, and nothing is built from it.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
blob one.cu
blob two.cu
for f in one two one; do "$T/h/bin/hipcc" -c $f.cu -o $f.o; done
log=h/wdir/manifest.json.ndjson
test "$("$B/bin/ckjit-prebuild" list --manifest $log | tr '\n' ' ')" = "one two " || fail "listed: $("$B/bin/ckjit-prebuild" list --manifest $log)"
refused() {
  status=0
  "$B/bin/ckjit-prebuild" "$@" >out 2>err || status=$?
  test $status = 1 || fail "$*: status $status"
}
refused build --manifest $log --cache-dir "$T/c" --all
grep -q "$log: expected the ck_jit_manifest.json of a linked library, found the records of a build" err || fail "build: $(cat err)"
cp $log torn.ndjson
printf '{"ckjit":1,"kind":"blob","st' >>torn.ndjson
refused list --manifest torn.ndjson
grep -q 'torn.ndjson:4: ' err || fail "torn: $(cat err)"
cp $log foreign.ndjson
echo '{"hello":1}' >>foreign.ndjson
refused list --manifest foreign.ndjson
grep -q 'foreign.ndjson:4: ' err || fail "foreign: $(cat err)"
