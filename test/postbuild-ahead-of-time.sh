#!/bin/sh
# A blob that cannot be forwarded is compiled ahead of time and named in the summary, and works: its own type in the signature
# (told from its text), and a name that only its unnamed namespace knows (told by the compiler).
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2
cat >own.cpp <<'END'
#include "api.hpp"
struct tag {};
template<> int fwd<tag>(const args&, args) { return 0; }
template<> int fwd<traits<4, true>>(const args& x, args y) { return x.n * 4 + y.n; }
template<> std::string name<traits<4, true>>(int x) { return "kernel 4, whose name is too long to be in place, " + std::to_string(x); }
END
cat >hidden.cpp <<'END'
#include "api.hpp"
#define PASTE(a, b) a##b
using type_5 = traits<5, true>;
template<> int fwd<PASTE(type_, 5)>(const args& x, args y) { return x.n * 5 + y.n; }
template<> std::string name<PASTE(type_, 5)>(int x) { return "kernel 5, whose name is too long to be in place, " + std::to_string(x); }
END
host 1 2 4 5
objects k1 k2 own hidden host
link liba.so k1.o k2.o own.o hidden.o host.o
says '2 blobs are lazy (4 functions in 1 unit), 2 compiled ahead of time'
says "ahead of time: $T/own.cpp: line 3: its signature needs 'tag'"
says "ahead of time: $T/hidden.cpp: its forwarding stub does not compile"
right liba.so 1 2 4 5
[ "$(cd cache && echo *.so)" = 'k1.so k2.so' ] || fail "cache: $(ls cache)"
# The reasons stay, and nothing of it is compiled again.
link liba.so k1.o k2.o own.o hidden.o host.o
says "2 compiled ahead of time"
