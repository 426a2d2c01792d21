#!/bin/sh
# A dispatcher of the form of a blob, under a name that no profile knows: what it specialises is called from elsewhere, and it
# uses what other blobs specialise. It is compiled with the link, its helper erased, and never waits for a first call.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2
cat >chooser.hpp <<'END'
#include "api.hpp"
template <int Version> int choose(int k, args a, char* text);
END
cat >chooser.cpp <<'END'
#include "chooser.hpp"
#include <cstring>
#include <stdexcept>
template <typename A, typename B>
int run_both(int k, args a, char* text) {
  args x{{}, 100};
  a.n = 1;
  strcpy(text, name<A>(k).c_str());
  return [=] { return fwd<B>(x, a); }();
}
template <> int choose<2>(int k, args a, char* text) {
  if (k == 1) { using t = traits<1, true>; return run_both<t, t>(k, a, text); }
  if (k == 2) { using t = traits<2, true>; return run_both<t, t>(k, a, text); }
  return -1;
}
END
cat >host.cpp <<'END'
#include "chooser.hpp"
int call(int k, char* text) { return choose<2>(k, {}, text); }
END
objects k1 k2 chooser host
link liba.so k1.o chooser.o k2.o host.o
says '2 blobs are lazy (4 functions in 1 units), 0 compiled ahead of time, 1 dispatchers (1 helpers erased, 0 tables of 0 rows)'
right liba.so 1 2
[ "$(cd cache && echo *.so)" = 'k1.so k2.so' ] || fail "cache: $(ls cache)"

# An error in it is one of the build, with the compiler's words, and leaves what was there.
cp liba.so before.so
echo 'int x = not_declared;' >>chooser.cpp
refused "use of undeclared identifier 'not_declared'" hipcc -shared -o liba.so k1.o chooser.o k2.o host.o
says 'chooser.cpp'
cmp -s liba.so before.so || fail 'the output of a link that failed is not as it was'
