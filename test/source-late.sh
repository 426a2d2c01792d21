#!/bin/sh
# A library is made of the sources as they were when their objects were compiled, as a compiler
# makes it: a source that is removed, overwritten or edited after that, before the link or before
# the first call, changes nothing.
# tier: check
# seconds: 62
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"

host 1
objects host

# One temporary name, two texts, and a header beside it. Each library gets the text of its object.
mkdir tmp
cat >tmp/beside.hpp <<'END'
using trait = traits<1, true>;
END
# text FACTOR: tmp/k1.cpp, whose __FILE__ and line are in what it returns
text() {
  cat >tmp/k1.cpp <<END
#include "api.hpp"
#include "beside.hpp"
template<> int fwd<trait>(const args& x, args y) { return x.n * $1 + y.n; }
template<> std::string name<trait>(int x) { return __FILE__ + std::string(":") + std::to_string(__LINE__); }
END
}
# told FACTOR: what the kernel gives for that text
told() {
  is "$1" "$((100 * $2 + 1)) $T/tmp/k1.cpp:4" "$(calls "$1" 1)"
}
for n in 2 3; do
  text $n
  as_build hipcc -x c++ -fPIC -I. -c tmp/k1.cpp -o v$n.o || fail "$(cat err)"
done
cp v2.o v4.o && cp v2.o in-archive.o && ar rc libk.a in-archive.o
link liba.so v2.o host.o
says '1 blob is lazy'
link libb.so v3.o host.o
says '1 blob is lazy'
told liba.so 2
told libb.so 3

# Neither a link that is made again nor one that finds the object in an archive reads the text of
# now.
text 9
link liba.so v2.o host.o
says '; 0 compiles,'
link libc.so -Wl,--whole-archive libk.a -Wl,--no-whole-archive host.o
rm -rf cache
told liba.so 2
told libc.so 2

# The source goes before the link; or it goes or is edited before the first call.
rm tmp/k1.cpp
link libd.so v4.o host.o
says '1 blob is lazy'
told libd.so 2
rm -rf cache
text 3
link libb.so v3.o host.o
text 9
told libb.so 3
rm -rf cache tmp/k1.cpp
told libb.so 3
rm -rf cache
as_build env CK_JIT_PCH=0 ./program "$T/libb.so" 1 >got
is 'by the plain command' "301 $T/tmp/k1.cpp:4" "$(cat got)"

# An edit and a new compile is another library.
text 5
as_build hipcc -x c++ -fPIC -I. -c tmp/k1.cpp -o v2.o
link liba.so v2.o host.o
told liba.so 5

# A dispatcher, too.
cat >d.cpp <<'END'
#include "api.hpp"
#include <cstring>
int call(int k, char* text) { strcpy(text, name<traits<1, true>>(k).c_str()); return fwd<traits<1, true>>(args{{}, 1}, args{{}, FIXED}); }
END
sed -i 's/FIXED/7/' d.cpp
echo 'dispatcher=d.cpp' >>home/ckjit.conf
as_build hipcc -x c++ -fPIC -fvisibility=hidden -I. -c d.cpp -o d.o || fail "$(cat err)"
sed -i 's/7/8/' d.cpp
link libf.so v2.o d.o
told_by_d=$(calls libf.so 1)
is 'a dispatcher' "12 $T/tmp/k1.cpp:4" "$told_by_d"

# Of headers no text is kept: a link that finds one younger than an object says so.
lacks 'a header that has not changed' 'has changed since' err
echo '// later' >>api.hpp
link libf.so v2.o d.o
says "$T/api.hpp: has changed since $T/v2.o was compiled"

# Compiled ahead of time, it is of the same text.
echo k1 >list
text 9
"$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list list >out 2>&1 || fail "$(cat out)"
rm -rf cache
export CK_JIT_HIPCC=/bin/false
told libb.so 3
told libd.so 2
