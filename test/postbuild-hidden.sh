#!/bin/sh
# A function that its declaration hides, by an attribute of its own, of its namespace or of a type in it, is compiled ahead of time: a blob
# that is loaded apart would not have it to be found. What -fvisibility=hidden hides is lazy.
# tier: check
# seconds: 26
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END_'
namespace __attribute__((visibility("hidden"))) inner { template <int N> int of(int x); }
struct __attribute__((visibility("hidden"))) secret { int v; };
template <class T> int typed(T x);
END_
kernel 1 && sed -i 's/^template<> int fwd/template<> [[gnu::visibility("hidden")]] int fwd/' k1.cpp
kernel 2 && echo 'template<> int inner::of<2>(int x) { return x; }' >>k2.cpp
kernel 3 && echo 'template<> int typed<secret>(secret x) { return x.v; }' >>k3.cpp
kernel 4
kernel 5 && sed -i 's/^template<> int fwd/template<> __attribute__((visibility("default"))) int fwd/' k5.cpp

compiled() { # compiled VISIBILITY N...
  option=$1
  shift
  for n; do
    as_build hipcc -x c++ -fPIC "-fvisibility=$option" -I. -c "k$n.cpp" -o "k$n.o" || fail "k$n.cpp: $(cat err)"
  done
  host "$@" && objects host
}
compiled default 1 2 3 4 5
link liba.so k1.o k2.o k3.o k4.o k5.o host.o
says '2 blobs are lazy (4 functions'
says "ahead of time: $T/k1.cpp: line 3: a function of hidden visibility would not be found when it is loaded apart"
for n in 2 3; do says "ahead of time: $T/k$n.cpp: a function of it has hidden visibility"; done
right liba.so 1 2 3 4 5

compiled hidden 1 2 3 4 5
link libb.so k1.o k2.o k3.o k4.o k5.o host.o
says '2 blobs are lazy (4 functions'
says "ahead of time: $T/k1.cpp: line 3: a function of hidden visibility"
for n in 2 3; do says "ahead of time: $T/k$n.cpp: a function of it has hidden visibility"; done
right libb.so 1 2 3 4 5
# what the flag hides is not exported, what an attribute shows is
readelf -W --dyn-syms libb.so | grep -v ' UND ' >symbols
grep -q '_Z3fwdI6traitsILi5ELb1EEEi' symbols || fail "fwd of k5.cpp is not exported: $(cat symbols)"
lacks 'what -fvisibility=hidden hides is exported' '_Z3fwdI6traitsILi4ELb1EEEi' symbols
