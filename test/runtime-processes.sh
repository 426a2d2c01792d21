#!/bin/sh
# Many processes call the same kernel for the first time at once: one compiles, the others wait and load its entry.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib

touch "$T/hold"
i=0
while [ $i -lt 12 ]; do
  CK_JIT_VERBOSE=1 "$T/lib/driver" value 0 7 >"$T/out.$i" 2>"$T/err.$i" &
  i=$((i + 1))
done
await 'not all others wait' waiting 11 "$T/cache"
rm "$T/hold"
wait
is "results" 12 "$(cat "$T"/out.* | grep -cx 1007)"
is "compiles" 1 "$(compiles)"
is "processes that say so" 1 "$(cat "$T"/err.* | grep -c '^ckjit: value0: compiled in ')"
grep -q '^ckjit: value0: compiled by another process; waited [0-9.]* s$' "$T"/err.* || fail "none says that it waited: $(cat "$T"/err.*)"
is "left in .locks" "" "$(ls "$T/cache/.locks")"
is "the cache" value0.so "$(ls "$T/cache")"
is "temporary files" "" "$(find "$T/cache" -name '.tmp-*')"
