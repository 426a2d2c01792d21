#!/bin/sh
# On AArch64, too, the tables of a dispatcher have no relocations when the library is loaded, made by GNU ld or by lld, and its kernels are
# right, by qemu-user. A library that exports them keeps the addresses.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
need clang++ aarch64-linux-gnu-g++ qemu-aarch64 readelf
. "$here/unit/aarch64_home_fixture.sh"
. "$here/unit/chooser_fixture.sh"
. "$here/unit/tables_fixture.sh"
cat >api.hpp <<'CPP'
#pragma once
#include <string>
struct args { double a[40]; int n; };
template <int N, bool B> struct traits {};
template <class T> int fwd(const args& x, args y);
template <class T> std::string name(int x);
extern "C" __attribute__((visibility("default"))) int call(int kernel, char* text);
CPP
for n in 1 2 3 4 5 6; do
  printf '#include "api.hpp"\nusing trait = traits<%d, true>;\ntemplate<> int fwd<trait>(const args& x, args y) { return x.n * %d + y.n; }\ntemplate<> std::string name<trait>(int x) { return std::to_string(x); }\n' $n $n >k$n.cpp
done
chain 2 1 2 3 4 5 6 >chooser.cpp
chooser_host
tables_main
root=/usr/aarch64-linux-gnu/lib
# compiled WORDS...: the units
compiled() {
  for f in k1 k2 k3 k4 k5 k6 chooser host; do
    as_build hipcc -O1 -fPIC "$@" -I. -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
  done
}
# made COUNT WORDS...: the library has so many relocations in its tables, and gives what it should
made() {
  wanted=$1
  shift
  as_build hipcc -shared -o libk.so k?.o chooser.o host.o "$@" || fail "link: $(cat err)"
  has 'a table' '1 dispatcher (1 helper erased, 1 table of 6 rows)' err
  is "relocations, $*" "$wanted" "$(relocations libk.so)"
  aarch64-linux-gnu-g++ main.cpp -o main -L. -lk
  qemu-aarch64 -cpu max $root/ld-linux-aarch64.so.1 --library-path $root:. ./main >got 2>errors || fail "it cannot be called: $(cat errors)"
  for n in 1 2 3 4 5 6; do echo "$((100 * n + 1)) $n"; done >want
  cmp -s want got || fail "wrong: $(cat got errors)"
}
compiled -fvisibility=hidden
made 0
if command -v ld.lld >/dev/null; then made 0 -fuse-ld=lld; fi
compiled
made 12
