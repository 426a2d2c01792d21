#!/bin/sh
# Names that only seem to be a blob's own do not keep it from being lazy: the type in `operator long`, the const of a typedef of a
# pointer to a member.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END_'
struct pair { int a, b; int sum() const { return a + b; } };
template <int N> long taking(long (*f)(const char*, long), const pair& p, int (pair::*m)() const);
END_
cat >k1.cpp <<'END_'
#include "api.hpp"
namespace {
struct own { long v; explicit operator long() const; operator const char*() const { return ""; } };
own::operator long() const { return v; }
}
typedef int (pair::*sum)() const;
typedef int pair::*field;
template<> long taking<1>(long (*f)(const char*, long), const pair& p, sum m) { return f("", long(own{2})) + (p.*m)(); }
END_
cat >host.cpp <<'END_'
#include "api.hpp"
#include <cstdio>
static long add(const char*, long v) { return v + 1; }
int call(int, char* text) { return sprintf(text, "%ld", taking<1>(add, pair{3, 4}, &pair::sum)); }
END_
objects k1 host
link liba.so k1.o host.o
says '1 blob is lazy (1 function in 1 unit), 0 compiled ahead of time'
calls liba.so 1 >got || fail 'it cannot be called'
[ "$(cat got)" = '2 10' ] || fail "got $(cat got)"
