#!/bin/sh
# A blob's definitions come out of a macro that two headers define, each in another way. The nearest one is not believed: the compiler says
# that the macro is another one in the end, and the blob is compiled ahead of time. Two headers that agree do no harm.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >first.hpp <<'END_'
#pragma once
template <int N> int run(int x);
#define RUN(n, ...) template <> int run<n>(int x) { return x * \
    n; }
END_
printf '#define MORE 10\n#undef RUN\n#define RUN(n, ...) template <> int run<n + MORE>(int x) { return x * n + MORE; }\n' >second.hpp
{ cat first.hpp && echo 'namespace ns { template <int N> int other(int); }'; } >agrees.hpp
printf '#include "first.hpp"\n#include "second.hpp"\nRUN(2)\n' >run_2.cpp
printf '#include "first.hpp"\n#include "agrees.hpp"\nRUN(3, "a")\n' >run_3.cpp
cat >host.cpp <<'END_'
#include "api.hpp"
#include "first.hpp"
#include <cstdio>
int call(int k, char* text) { return sprintf(text, "%d", k), k == 2 ? run<12>(7) : run<3>(7); }
END_
objects run_2 run_3 host
link liba.so run_2.o run_3.o host.o
says '1 blob is lazy (1 function in 2 units), 1 compiled ahead of time'
calls liba.so 2 3 >got || fail "it cannot be called: $(cat got)"
[ "$(cut -d' ' -f1 got | xargs)" = '24 21' ] || fail "got $(cat got)"
[ "$(cd cache && echo *.so)" = run_3.so ] || fail "cache: $(ls cache)"
