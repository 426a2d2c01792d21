#!/bin/sh
# memcheck over the post-build linker: lazy blobs, one that is compiled ahead of time, a dispatcher that is rewritten, an archive, a
# second link with nothing to do, and links that fail.
# tier: all
# seconds: 33
. "${0%/*}/common.sh"
. "${0%/*}/unit/valgrind_fixture.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/chooser_fixture.sh"
linker=$(sed -n 's/^link=//p' home/ckjit.conf)
printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$memcheck" "$linker" >memcheck-link
chmod +x memcheck-link
sed -i "s|^link=.*|link=$T/memcheck-link|" home/ckjit.conf

kernel 1 && kernel 2 && kernel 3
mkdir other
# a second of its stem, which is compiled ahead of time
echo 'struct quiet { __attribute__((visibility("hidden"))) static inline int n = 0; };' >>api.hpp
sed 's/traits<2,/traits<4,/; s/return x.n/return ++quiet::n + x.n/' k2.cpp >other/k2.cpp
dispatcher 2 1 2 3 >chooser.cpp
chooser_host
objects k1 k2 k3 chooser host other/k2
ar rcs libk.a k3.o

link liba.so k1.o chooser.o k2.o other/k2.o host.o libk.a
says 'liba.so: 3 blobs are lazy (6 functions in 1 unit), 1 compiled ahead of time, 1 dispatcher (1 helper erased'
clean "a link"
right liba.so 1 2 3
link liba.so k1.o chooser.o k2.o other/k2.o host.o libk.a
says '; 0 compiles,'
clean "a link with nothing to do"
echo 'template<> int fwd<int>(const args&, args) { return 3; }' >>k1.cpp && objects k1
CK_JIT_BASE=$T link liba.so k1.o chooser.o k2.o other/k2.o host.o libk.a
clean "a link after a change"

# Links that fail end at once, and what they hold then goes with them; they may not use it wrongly.
memcheck_error() {
  cat "$T"/valgrind.* | lacks "$1" 'Invalid|ninitialised|Syscall param|Mismatched|overlap' - -E
  rm "$T"/valgrind.*
}
sed -i 's/return -1/return not_declared/' chooser.cpp
objects chooser
refused "use of undeclared identifier 'not_declared'" hipcc -shared -o liba.so k1.o chooser.o k2.o host.o libk.a
memcheck_error "a dispatcher that does not compile"
rm k2.cpp # the object has its text
link libb.so k1.o k2.o host.o
memcheck_error "a source that is gone"
