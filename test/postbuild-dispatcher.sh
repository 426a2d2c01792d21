#!/bin/sh
# A dispatcher of the form of a blob, under a name that no profile knows: what it specialises is called from elsewhere, and it
# uses what other blobs specialise. It is compiled with the link, its helper erased, and never waits for a first call.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/chooser_fixture.sh"
kernel 1 && kernel 2
dispatcher 2 1 2 >chooser.cpp
chooser_host
objects k1 k2 chooser host
link liba.so k1.o chooser.o k2.o host.o
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time, 1 dispatcher (1 helper erased, 0 tables of 0 rows)'
right liba.so 1 2
[ "$(cd cache && echo *.so)" = 'k1.so k2.so' ] || fail "cache: $(ls cache)"

# An error in it is one of the build, with the compiler's words, and leaves what was there.
cp liba.so before.so
sed -i 's/return -1/return not_declared/' chooser.cpp
objects chooser
refused "use of undeclared identifier 'not_declared'" hipcc -shared -o liba.so k1.o chooser.o k2.o host.o
says 'chooser.cpp'
cmp -s liba.so before.so || fail 'the output of a link that failed is not as it was'
