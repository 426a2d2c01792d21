#!/bin/sh
# Namespaces that a blob opens, renames and uses itself: nested, inline, unnamed, aliases of aliases, directives and declarations
# for what no header has. They are lazy; only what a signature says through a name that the blob alone defines goes ahead of time.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
# one kernel N in a file of the lines of standard input, which may say SPECIALISE where it belongs
unit() {
  awk -v n="$1" '$0 == "SPECIALISE" {
    print "template<> int fwd<traits<" n ", true>>(const args& x, args y) { return x.n * " n " + y.n; }"
    print "template<> std::string name<traits<" n ", true>>(int x) { return \"kernel " n ", whose name is too long to be in place, \" + std::to_string(x); }"
    next } { print }' >"k$1.cpp"
}
unit 1 <<'END_'
#include "api.hpp"
namespace outer { namespace inner { inline int helper(int x) { return x; } } }
namespace oi = outer::inner;
namespace oj = oi;
using namespace outer;
using namespace inner;
SPECIALISE
END_
unit 2 <<'END_'
#include "api.hpp"
namespace outer::deep { inline namespace v2 { struct config { static constexpr int value = 2; }; inline int helper(int x) { return x; } } }
namespace { namespace hidden { constexpr int three = 3; } }
namespace od = outer::deep::v2;
using namespace outer;
using namespace deep;
using namespace hidden;
using outer::deep::helper;
using od::config;
SPECIALISE
END_
unit 3 <<'END_'
#include "api.hpp"
namespace named { template <int N> using width = std::integral_constant<int, N>; using count = traits<3, true>; }
namespace nd = named;
using namespace nd;
template<> int fwd<nd::count>(const args& x, args y) { return x.n * 3 + y.n; }
template<> std::string name<named::count>(int x) { return "kernel 3, whose name is too long to be in place, " + std::to_string(x); }
END_
unit 4 <<'END_'
#include "api.hpp"
namespace mine { struct tag {}; using type = traits<4, true>; }
using mine::type;
using mine::tag;
template<> int fwd<tag>(const args&, args) { return 0; }
template<> int fwd<type>(const args& x, args y) { return x.n * 4 + y.n; }
template<> std::string name<traits<4, true>>(int x) { return "kernel 4, whose name is too long to be in place, " + std::to_string(x); }
END_
host 1 2 3 4
objects k1 k2 k3 k4 host
link liba.so k1.o k2.o k3.o k4.o host.o
says '3 blobs are lazy (6 functions'
says "ahead of time: $T/k4.cpp: line 5: its signature needs 'tag'"
right liba.so 1 2 3 4
