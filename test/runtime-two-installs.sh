#!/bin/sh
# Two versions of a library share a cache directory: the first comer has the plain name, neither is given the
# other's code, and neither evicts the other.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library one 1
library two 2

for round in 1 2 3; do
  is "one, round $round" 1005 "$("$T/one/driver" value 0 5)"
  is "two, round $round" 2005 "$("$T/two/driver" value 0 5)"
done
is "compiles" 2 "$(compiles)"
is "entries" 2 "$(find "$T/cache" -name 'value0*.so' | wc -l)"
[ -e "$T/cache/value0.so" ] || fail "no plain name"

# another set of architectures is other code, too
CK_JIT_ARCH=gfx90a "$T/one/driver" value 0 5 >/dev/null
is "entries with another architecture" 3 "$(find "$T/cache" -name 'value0*.so' | wc -l)"
"$T/one/driver" value 0 5 >/dev/null
is "compiles with another architecture" 3 "$(compiles)"
