#!/bin/sh
# A variable of a header that any object may have, static in an inline function, inline, a variable template's instance, a member of a class
# template, or thread-local, is one in a library whose blobs have it: with the library's own objects, a dispatcher and other blobs. They stay
# lazy, and the library answers as stock's does. A blob is compiled ahead of time if an attribute hides such a variable, or if one of an own
# header runs code when the library is loaded.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END'
inline int& shared() { static int n; return n; }
namespace settings { inline int level = 0; inline constexpr int limit = 0; }
template <class T> struct hits { static int n; };
template <class T> int hits<T>::n = 0;
template <class T> T total = 0;
inline int scratch() { static thread_local int n; return ++n; }
inline thread_local int each = 5;
inline const int* table() { static const int values[] = {1, 2}; static constexpr int more[] = {0}; return values + more[0]; }
inline const std::string& greeting() { static const std::string s = "hello"; return s; }
namespace detail {
  class counter { public: int next() { static int calls = 0; return ++calls; } };
  template <class T> int launch(T) { counter c; return c.next(); }
}
template <class T> int run(T x) { return detail::launch(x); }
#define RUN(x) run(x)
inline int& pair() { static int n; return n; }
template <class T> int both(args x, args y);
END
use() { # N EXPRESSION: kN.cpp
  printf '#include "api.hpp"\ntemplate<> int fwd<traits<%s, true>>(const args& x, args y) { return x.n - y.n + %s; }\n' "$1" "$2" >"k$1.cpp"
  printf 'template<> std::string name<traits<%s, true>>(int) { return "k"; }\n' "$1" >>"k$1.cpp"
}
use 1 '++shared()'
use 2 '(shared() += 10)'
use 3 '++settings::level'
use 4 '(settings::level += 10)'
use 5 '++hits<int>::n'
use 6 '(hits<int>::n += 10)'
use 7 '++hits<float>::n'
use 8 '++total<int>'
use 9 '(total<int> += 10)'
use 10 'run(1)'
use 11 'RUN(2) * 10'
use 12 'table()[0] + settings::limit + scratch() + (int)greeting().size()'
use 13 'table()[1] + settings::limit + scratch() * 10 + (each += 2)'
use 14 '++each'
use 15 '(pair() += 10)'
printf '#include "api.hpp"\ntemplate<> int both<traits<16, true>>(args x, args y) { return fwd<traits<15, true>>(x, y) + ++pair(); }\n' >k16.cpp # a dispatcher
mv k1.cpp k1.inc.cpp # a unit may only include where the variable is said
echo '#include "k1.inc.cpp"' >k1.cpp
all='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'
# shellcheck disable=SC2086
host $all
sed -i 's/  args x.*/&\n  if (k == 16) return both<traits<16, true>>(x, y);/
  s/  args x/  if (!k) return scratch() + (int)greeting().size() + (settings::level += 100) + (hits<int>::n += 1000) + (each += 3);\n&/' host.cpp
compile() { # NAME…: NAME.o and stock-NAME.o
  for name; do
    as_build hipcc -x c++ -std=c++17 -fPIC -fvisibility=hidden -I. -c "$name.cpp" -o "$name.o" || fail "$name.cpp: $(cat err)"
    hipcc -x c++ -std=c++17 -w -fPIC -fvisibility=hidden -I. -c "$name.cpp" -o "stock-$name.o" 2>err || fail "stock $name.cpp: $(cat err)"
  done
}
# answers WHAT ARGUMENT…: stock's of all objects and those of liba.so
answers() {
  what=$1
  shift
  hipcc -shared stock-*.o -o stock.so 2>err || fail "stock: $(cat err)"
  for lib in stock liba; do
    calls $lib.so "$@" >$lib.said || fail "$what: $lib.so cannot be called"
  done
  cmp -s stock.said liba.said || fail "$what: it is not as stock's: $(diff stock.said liba.said)"
}
for n in $all 16; do compile "k$n"; done
compile host
# shellcheck disable=SC2046
link liba.so $(ls k*.o host.o)
says '15 blobs are lazy'
# shellcheck disable=SC2086
answers all 0 $all $all 16 15 16 14 13 12 0 3 5 $all

rm -f stock-* k*.o host.o
cat >>api.hpp <<'END'
struct quiet { __attribute__((visibility("hidden"))) static inline int n = 0; };
END
use 1 '++quiet::n'
use 2 '(quiet::n += 10)'
use 3 '++shared()'
host 1 2 3
compile k1 k2 k3 host
link liba.so k1.o k2.o k3.o host.o
says '1 blob is lazy'
says 'k1.cpp: an attribute hides the variable _ZN5quiet1nE, and it would have a separate copy when it is loaded apart'
answers hidden 1 2 3 2 1 3

rm -f stock-* k*.o host.o
sed -i '/^struct quiet/d' api.hpp
cat >>api.hpp <<'END'
inline int &begun() { static int n = 0; return n; }
inline int enrolled = ++begun();
END
host 1
sed -i 's/  args x/  if (!k) return begun();\n&/' host.cpp
use 1 enrolled
compile k1 host
link liba.so k1.o host.o
says 'k1.cpp: api.hpp:'
answers 'runs code' 0 1 0
