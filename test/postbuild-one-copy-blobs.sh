#!/bin/sh
# A header's variable that blobs alone share, static in an inline function or a member function, inline, a variable template's instance or a
# member of a class template, is one in a library: those blobs are compiled ahead of time, also if only a function of a header uses it, or a
# dispatcher is the other user. The library answers as stock's does. What one blob alone has, constants and thread_local cost no laziness.
# tier: all
# seconds: 35
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END'
inline int& shared() { static int n; return n; }
namespace settings { inline int level = 0; inline constexpr int limit = 0; }
template <class T> struct hits { static int n; };
template <class T> int hits<T>::n = 0;
template <class T> T total = 0;
inline int nobody() { static int unused; return ++unused; }
inline int scratch() { static thread_local int n; return ++n; }
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
inline int& asked() { static int n; return n; }
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
use 12 'table()[0] + settings::limit + scratch() * 0 + (int)greeting().size()'
use 13 'table()[1] + settings::limit + scratch() * 0 + (int)greeting().size()'
use 14 'table()[1]'
use 15 '(pair() += 10)'
use 17 'sizeof(asked())' # names what the next two use
use 18 '++asked()'
use 19 '(asked() += 10)'
printf '#include "api.hpp"\ntemplate<> int both<traits<16, true>>(args x, args y) { return fwd<traits<15, true>>(x, y) + ++pair(); }\n' >k16.cpp # a dispatcher
all='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 19'
# shellcheck disable=SC2086
host $all
sed -i 's/  args x.*/&\n  if (k == 16) return both<traits<16, true>>(x, y);/' host.cpp
files='' stock=''
for n in $all 16 host; do
  case $n in host) name=host ;; *) name=k$n ;; esac
  as_build hipcc -x c++ -std=c++17 -fPIC -fvisibility=hidden -I. -c "$name.cpp" -o "$name.o" || fail "$name.cpp: $(cat err)"
  hipcc -x c++ -std=c++17 -w -fPIC -fvisibility=hidden -I. -c "$name.cpp" -o "stock-$name.o" 2>err || fail "stock $name.cpp: $(cat err)"
  files="$files $name.o" stock="$stock stock-$name.o"
done
# shellcheck disable=SC2086
hipcc -shared $stock -o stock.so 2>err || fail "stock: $(cat err)"
# shellcheck disable=SC2086
link liba.so $files
cp err said
for lib in stock liba; do
  # shellcheck disable=SC2086
  calls $lib.so $all $all 16 15 16 18 19 >$lib.said || fail "$lib.so cannot be called"
done
cmp -s stock.said liba.said || fail "it is not as stock's: $(diff stock.said liba.said)"
cp said err
says '5 blobs are lazy (10 functions in 1 unit), 13 compiled ahead of time'
says "k1.cpp: it shares the variable _ZZ6sharedvE1n with $T/k2.cpp, and would have a separate copy when it is loaded apart"
says "k4.cpp: it shares the variable _ZN8settings5levelE with $T/k3.cpp"
says "k6.cpp: it shares the variable _ZN4hitsIiE1nE with $T/k5.cpp"
says "k8.cpp: it shares the variable _Z5totalIiE with $T/k9.cpp"
says "k10.cpp: it shares the variable _ZZN6detail7counter4nextEvE5calls with $T/k11.cpp"
says "k18.cpp: it shares the variable _ZZ5askedvE1n with $T/k19.cpp"
says "k15.cpp: it shares the variable _ZZ4pairvE1n with $T/k16.cpp"
# shellcheck disable=SC2086
link liba.so $files
says '; 0 compiles, '
