#!/bin/sh
# Stubs reach the link on the command line, in response files (names with spaces too), in archives plain, thin and whole, as
# -lNAME, and as a partial link.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && kernel 3 && host 1 2 3
objects k1 k2 k3 host
mkdir 'a dir'
cp k1.o 'a dir/k 1.o'

printf '%s\n' '"a dir/k 1.o" k2.o' 'k3.o -shared' >objs.rsp
as_build hipcc @objs.rsp host.o -o librsp.so || fail "$(cat err)"
says 'librsp.so: 3 blobs are lazy'
right librsp.so 1 2 3

ar rc libplain.a k1.o k2.o host.o
link libar.so -Wl,--whole-archive libplain.a -Wl,--no-whole-archive k3.o
says '3 blobs are lazy'
right libar.so 1 2 3

ar rcT libthin.a k2.o k3.o
link libthin.so host.o k1.o -L. -lthin
says '3 blobs are lazy'
right libthin.so 1 2 3

# an archive that holds nothing else, and twice the same one
ar rc libstubs.a k1.o k2.o k3.o
link libtwice.so host.o libstubs.a -L"$T" -lstubs libstubs.a
says '3 blobs are lazy'
right libtwice.so 1 2 3

ld -r -o both.o k1.o k2.o
link libpart.so both.o k3.o host.o
says '3 blobs are lazy'
right libpart.so 1 2 3

as_build c++ -r -nostdlib -o more.o k1.o k2.o host.o || fail "$(cat err)"
link libmore.so more.o k3.o
says '3 blobs are lazy'
right libmore.so 1 2 3
