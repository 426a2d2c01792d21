#!/bin/sh
# A variable of a header that any object may have, static in an inline function, inline, or a member of a class template, is one in
# a library. A blob whose text uses one that the library's own objects use too is compiled ahead of time, for loaded apart it would
# count in a copy of its own; the library answers as stock's does. A constant that code makes counts as one, a thread_local does not.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END_'
inline int& shared() { static int n; return n; }
namespace settings { inline int level = 0; }
template <class T> struct hits { static int n; };
template <class T> int hits<T>::n = 0;
inline int scratch() { static thread_local int n; return ++n; }
inline const std::string& greeting() { static const std::string s = "hello"; return s; }
END_
use() { # N EXPRESSION: kN.cpp
  printf '#include "api.hpp"\ntemplate<> int fwd<traits<%s, true>>(const args& x, args y) { return x.n - y.n + %s; }\n' "$1" "$2" >"k$1.cpp"
  printf 'template<> std::string name<traits<%s, true>>(int) { return "k"; }\n' "$1" >>"k$1.cpp"
}
use 1 '++shared()'
use 2 '++settings::level'
use 3 '++hits<int>::n'
use 4 'scratch() * 0'
use 5 '(int)greeting().size()'
mv k1.cpp k1.inc.cpp # a unit may only include where the variable is said
echo '#include "k1.inc.cpp"' >k1.cpp
host 1 2 3 4 5
sed -i 's/  args x/  if (!k) return scratch() * 0 + (int)greeting().size() + (shared() += 10) + (settings::level += 100) + (hits<int>::n += 1000);\n  args x/' host.cpp
for name in k1 k2 k3 k4 k5 host; do
  as_build hipcc -x c++ -std=c++17 -fPIC -fvisibility=hidden -I. -c $name.cpp -o $name.o || fail "$name.cpp: $(cat err)"
  hipcc -x c++ -std=c++17 -w -fPIC -fvisibility=hidden -I. -c $name.cpp -o stock-$name.o 2>err || fail "stock $name.cpp: $(cat err)"
done
hipcc -shared stock-*.o -o stock.so 2>err || fail "stock: $(cat err)"
link liba.so k1.o k2.o k3.o k4.o k5.o host.o
says '1 blob is lazy (2 functions in 1 unit), 4 compiled ahead of time'
says 'k1.cpp: it shares the variable _ZZ6sharedvE1n with host.o, and would have a separate copy when it is loaded apart'
says 'k2.cpp: it shares the variable _ZN8settings5levelE with host.o'
says 'k3.cpp: it shares the variable _ZN4hitsIiE1nE with host.o'
says 'k5.cpp: it shares the variable _ZZ8greeting'
for lib in stock liba; do
  calls $lib.so 0 1 1 2 3 3 4 5 0 >$lib.said || fail "$lib.so cannot be called"
done
cmp -s stock.said liba.said || fail "it is not as stock's: $(diff stock.said liba.said)"
