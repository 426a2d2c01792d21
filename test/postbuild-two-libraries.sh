#!/bin/sh
# Two libraries of one base name in one work directory, their kernels of one name but not of one content: neither gets the other's,
# neither at the link nor from the cache, however often each is linked again.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
mkdir a b second
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
link a/libk.so k1.o k2.o host.o
sed 's/ \* 1 + / * 9 + /' k1.cpp >second/k1.cpp
objects second/k1
link b/libk.so second/k1.o k2.o host.o
says '; 2 compiles, 1 kept' # the runtime is that of both
for turn in 1 2; do
  right a/libk.so 1 2
  [ "$(calls b/libk.so 1 2 | cut -d' ' -f1 | tr '\n' ' ')" = '901 201 ' ] || fail "turn $turn: the other library's kernel"
  link a/libk.so k1.o k2.o host.o
  says '; 0 compiles, 2 kept'
  link b/libk.so second/k1.o k2.o host.o
  says '; 0 compiles, '
done
