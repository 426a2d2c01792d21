#!/bin/sh
# A function of a blob that no object of the link defines: another library may have it, and nothing is said if the link names that
# library; else a warning names the function, and the library is linked, as without ckjit.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && kernel 3 && host 1 2
objects k1 k3 host
as_build hipcc -x c++ -fPIC -I. -c k2.cpp -o k2.o || fail "$(cat err)"
link libtwo.so k2.o k3.o
link liba.so k1.o host.o -L. -ltwo -Wl,-rpath,"$T"
says '1 blob is lazy'
lacks 'a warning' warning err
right liba.so 1 2

link libb.so k1.o host.o
says "ckjit-link: warning: $T/libb.so: 2 functions of blobs are not defined by any object or library of this link"
says '3fwdI6traitsILi2ELb1EE'
calls libb.so 1 >got 2>&1 && fail 'it loads all the same'
grep -q 'undefined symbol' got || fail "got $(cat got)"
LD_PRELOAD=$T/libtwo.so right libb.so 1 2

refused 'undefined' hipcc -shared -Wl,-z,defs -o libc.so k1.o host.o
