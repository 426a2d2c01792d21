#!/bin/sh
# A call with several sources, or with a source and an object, is compiled.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
blob a.cu
blob b.cu
"$T/h/bin/hipcc" -c a.cu b.cu
test "$(kinds h)" = host || fail "two sources: $(kinds h)"
test ! -e a.o || fail "a stub object was written"
"$T/h/bin/hipcc" -c a.cu c.o
"$T/h/bin/hipcc" a.cu -o prog
"$T/h/bin/hipcc" -c gone.cu -o gone.o
test "$(kinds h | tr '\n' ' ')" = "host host link host " || fail "kinds: $(kinds h)"
test "$(grep -c '<a.cu>' h/real.log)" = 3 || fail "not all reached the compiler"
# one source and one that is only the value of an option
"$T/h/bin/hipcc" -c a.cu -include b.cu -Xclang "$T/b.cu" -mllvm "$T/b.cu" -o a.o
test "$(kinds h | tail -1)" = blob || fail "option values were taken for sources: $(kinds h)"
