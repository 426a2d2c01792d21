#!/bin/sh
# A blob that needs an instance of a template which a sibling instantiates explicitly, of a function or of a class's member, whose body the
# headers do not have or leave to the sibling (extern template), stays lazy and gets it from the library. So do those whose templates have
# their bodies in headers. Of blobs and siblings in an archive the former are compiled ahead of time.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END'
template <class T> int elsewhere(T x);
template <class T> struct tile { int run(T x) const; int walk(T x) const { return x; } };
template <class T> struct whole { int go(T x) const; };
template <class T> int whole<T>::go(T x) const { return x; }
template <class T> int kept(T x) { return x; }
extern template int kept<int>(int);
template <class T> int anywhere(T x) { return x; }
END
for n in 1 2 3 4 5; do kernel $n; done
sed -i 's/return x.n \* 1/return elsewhere(x.n) * 1/' k1.cpp
sed -i 's/return x.n \* 2/return tile<int>().run(x.n) * 2/' k2.cpp
sed -i 's/return x.n \* 3/return kept<int>(x.n) * 3/' k3.cpp
sed -i 's/return x.n \* 4/return anywhere(x.n) * tile<int>().walk(4)/' k4.cpp
sed -i 's/return x.n \* 5/return anywhere<int>(x.n) * whole<int>().go(5)/' k5.cpp
host 1 2 3 4 5
cat >templates.cpp <<'END'
#include "api.hpp"
template <class T> int elsewhere(T x) { return x; }
template <class T> int tile<T>::run(T x) const { return x; }
template int elsewhere<int>(int);
template struct tile<int>;
template int kept<int>(int);
template int anywhere<int>(int);
template struct whole<int>;
END
objects k1 k2 k3 k4 k5 host templates
link liba.so k1.o k2.o k3.o k4.o k5.o host.o templates.o
says '5 blobs are lazy (10 functions in 1 unit), 0 compiled ahead of time'
right liba.so 1 2 3 4 5

ar rc libk.a k1.o k2.o k3.o k4.o k5.o templates.o
link libb.so host.o libk.a
says '2 blobs are lazy (4 functions in '
says "k1.cpp: it needs _Z9elsewhereIiEiT_ of libk.a(templates.o), which it could not reach when it is loaded apart"
says "k2.cpp: it needs _ZNK4tileIiE3runEi of libk.a(templates.o)"
says "k3.cpp: it needs _Z4keptIiEiT_ of libk.a(templates.o)"
right libb.so 1 2 3 4 5
