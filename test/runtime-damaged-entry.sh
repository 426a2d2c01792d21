#!/bin/sh
# An entry that was cut short, at whatever byte, emptied or overwritten is not loaded: it is compiled again in its place.
# tier: check
# seconds: 8
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
"$T/lib/driver" value 0 5 >/dev/null
so=$T/cache/value0.so
cp "$so" "$T/good"
size=$(stat -c %s "$so")

n=1
for damage in 0 1 63 64 500 4096 $((size / 2)) $((size - 1)); do
  head -c "$damage" "$T/good" >"$so"
  is "cut to $damage" 1005 "$(CK_JIT_VERBOSE=1 "$T/lib/driver" value 0 5 2>"$T/err")"
  n=$((n + 1))
  is "compiles" $n "$(compiles)"
  has "said" "$so is not loaded: it is" "$T/err"
done
echo "this is no shared object" >"$so"
is "text" 1005 "$("$T/lib/driver" value 0 5)"
head -c "$size" /dev/zero >"$so"
is "zeros" 1005 "$("$T/lib/driver" value 0 5)"
cmp -s "$so" "$T/good" || is "compiled in its place" $((n + 2)) "$(compiles)"
is "entries" 1 "$(find "$T/cache" -name '*.so' | wc -l)"

# every length, and every byte of the headers changed: none crashes the reader, and no cut file is taken for whole
gcc -std=gnu11 -D_GNU_SOURCE -g -fsanitize=address,undefined -I"$top" -o "$T/entry" "$unit/runtime_entry.c"
"$T/entry" "$T/good"
