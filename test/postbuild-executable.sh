#!/bin/sh
# An executable of blobs: what it needs is found however it was started.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1
cat >main.cpp <<'END'
#include "api.hpp"
#include <cstdio>
int main() { args x{{}, 100}; printf("%d %s\n", fwd<traits<1, true>>(x, x), name<traits<1, true>>(2).c_str()); }
END
objects k1 main
as_build hipcc k1.o main.o -o prog || fail "$(cat err)"
says 'prog: 1 blob is lazy'
want='200 kernel 1, whose name is too long to be in place, 2'
for command in "$T/prog" ./prog ../"${T##*/}"/prog; do
  rm -rf cache
  got=$($command 2>&1) || true
  [ "$got" = "$want" ] || fail "$command: $got"
done
