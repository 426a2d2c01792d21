#!/bin/sh
# A blob that compiles but is not what the library was built from: the error says which file and what it lacks.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
src=$T/lib/ck_jit/src

sed 's/value_<0>/value_<7>/' "$src/value1.cu" >"$src/value0.cu"
"$T/lib/driver" value 0 5 >"$T/out" && fail "a function from nowhere"
has "function" "ckjit: value0: the compiled blob $T/cache/value0.so does not define the function" "$T/out"
has "count" "among its 1 functions" "$T/out"

echo 'int missing(); template <int N> int value_(int); template <> int value_<1>(int) { return missing(); }' >"$src/value1.cu"
"$T/lib/driver" value 1 5 >"$T/out" && fail "loaded with an undefined symbol"
has "loading" "ckjit: value1: the compiled blob $T/cache/value1.so cannot be loaded: " "$T/out"
has "reason" "missing" "$T/out"
