#!/bin/sh
# A second link does what changed and no more: nothing, after nothing; one source; a header, if only by its content; a flag; after the work directory
# was moved away, all. A kernel whose source did not change stays in the cache.
# tier: all
# seconds: 35
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
link liba.so k1.o k2.o host.o
says '; 2 compiles, 0 kept'
right liba.so 1 2
link liba.so k1.o k2.o host.o
says '; 0 compiles, 2 kept'
CK_JIT_HIPCC=/bin/false right liba.so 1 2

# other code, same functions: the stubs stay, the tables do not
sed -i 's/\* 1 + /* 7 + /' k1.cpp && objects k1
link liba.so k1.o k2.o host.o
says '; 0 compiles, 2 kept'
[ "$(CK_JIT_HIPCC=/bin/false calls liba.so 2 | cut -d' ' -f1)" = 201 ] || fail 'the kernel that did not change is compiled again'
[ "$(calls liba.so 1 | cut -d' ' -f1)" = 701 ] || fail 'the old kernel is called'

# a new function in a blob: its unit, and not the runtime, for which the tables have room
kernel 1 && echo 'template<> int fwd<int>(const args&, args) { return 3; }' >>k1.cpp && objects k1
link liba.so k1.o k2.o host.o
says '; 1 compile, 1 kept'
says '(5 functions'

# a header: the units, and the keys of all blobs
echo '// changed' >>api.hpp
link liba.so k1.o k2.o host.o
says '; 1 compile, 1 kept'
[ "$(CK_JIT_HIPCC=/bin/false calls liba.so 2 | sed -n '1s/ .*//p')" = -2 ] || fail 'a kernel with another header is served'
right liba.so 1 2

# a header with other content, the old size and the old time, as files of two archives may be; then one that is copied anew, and the same
mkdir other && echo '// CHANGED' >last
sed '$d' api.hpp | cat - last >other/api.hpp && touch -r api.hpp other/api.hpp && cp -p api.hpp keep.hpp && mv other/api.hpp api.hpp
[ "$(stat -c '%s %Y' api.hpp)" = "$(stat -c '%s %Y' keep.hpp)" ] || fail 'another size or time'
link liba.so k1.o k2.o host.o
says '; 1 compile, 1 kept'
right liba.so 1 2
cp -p api.hpp again && mv again api.hpp
link liba.so k1.o k2.o host.o
says '; 0 compiles, 2 kept'
touch -r k1.cpp time && sed -i 's/long to be in place/LONG to be in place/' k1.cpp && touch -r time k1.cpp
objects k1
link liba.so k1.o k2.o host.o
says '; 0 compiles, 2 kept'
calls liba.so 1 | grep -q LONG || fail 'the old kernel is called'
# an edit without a compile changes nothing
sed -i 's/LONG to be in place/other by now/' k1.cpp
link liba.so k1.o k2.o host.o
calls liba.so 1 | grep -q LONG || fail 'a text that was never compiled is called'
sed -i 's/other by now/long to be in place/' k1.cpp
objects k1
link liba.so k1.o k2.o host.o

for n in 1 2; do as_build hipcc -x c++ -fPIC -DFLAG -I. -c k$n.cpp -o k$n.o || fail "$(cat err)"; done
link liba.so k1.o k2.o host.o
says '; 1 compile, 1 kept'

mv "$work" "$T/elsewhere"
link liba.so k1.o k2.o host.o
says '; 2 compiles, 0 kept'
right liba.so 1 2
