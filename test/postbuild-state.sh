#!/bin/sh
# Variables of internal linkage whose value needs no code are the blob's own wherever it is loaded: such a blob is lazy, counts as it would
# without ckjit, and is apart from a variable of the same name in another.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
for n in 1 2; do
  cat >k$n.cpp <<END_
#include "api.hpp"
static int calls;
namespace { unsigned step[2] = {1, $n}; const char* where = "kernel $n"; }
template<> int fwd<traits<$n, true>>(const args& x, args y) { calls += step[1]; return x.n * 0 + y.n * 0 + calls; }
template<> std::string name<traits<$n, true>>(int) { return where; }
END_
done
host 1 2
objects k1 k2 host
link liba.so k1.o k2.o host.o
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time'
calls liba.so 1 2 1 2 2 >got || fail 'it cannot be called'
printf '%s\n' '1 kernel 1' '2 kernel 2' '2 kernel 1' '4 kernel 2' '6 kernel 2' | cmp -s - got || fail "got $(cat got)"

# A variable whose value is made by code is not left for later.
sed -i 's/static int calls;/int early(); static int calls = early();/' k2.cpp
echo 'int early() { return 10; }' >>host.cpp
objects k2 host
link liba.so k1.o k2.o host.o
says '1 blob is lazy (2 functions in 1 unit), 0 compiled ahead of time'
calls liba.so 2 >got && grep -q '^12 kernel 2' got || fail "got $(cat got)"
