#!/bin/sh
# A jump on AArch64 reaches 128 MiB. What is further away is reached by a piece of code of the linker's, which writes to x16 and x17: first and
# later calls arrive with their arguments, and exceptions leave, if a library's code is so far apart, linked by GNU's linker and by LLVM's. The gap is one of
# addresses: no file takes that much of the disk.
# tier: all
# seconds: 7
. "${0%/*}/common.sh"
need clang++ ld.lld aarch64-linux-gnu-g++ aarch64-linux-gnu-nm qemu-aarch64
. "$here/unit/aarch64_home_fixture.sh"
cat >api.hpp <<'END'
#pragma once
#include <string>
struct args { double a[40]; int n; };
struct pair { long a, b, c; };
template <int N> int fwd(const args& x, args y);
template <int N> pair many(int a, double b, float c, long d, pair e, double f, int g, int h, int i, int j, int k);
template <int N> void thrower(std::string x);
END
for n in 1 2; do
  printf '#include "api.hpp"\n#include <stdexcept>\ntemplate<> int fwd<%d>(const args& x, args y) { return x.n * %d + y.n; }\ntemplate<> pair many<%d>(int a, double b, float c, long d, pair e, double f, int g, int h, int i, int j, int k) { return {a + (long)b, (long)c + d + e.a + e.c, (long)f + g * 2 + h * 3 + i * 4 + j * 5 + k * %d}; }\ntemplate<> void thrower<%d>(std::string x) { throw std::invalid_argument(x); }\n' \
    $n $n $n $n $n >k$n.cpp
done
cat >host.cpp <<'END'
#include "api.hpp"
#include <cstdio>
#include <stdexcept>
template <int N> __attribute__((section(".far"), noinline)) int far_fwd(const args& x, const args& y) { return fwd<N>(x, y); }
template <int N> __attribute__((section(".far"), noinline)) pair far_many() { return many<N>(1, 2., 3.f, 4, {5, 6, 7}, 8., 9, 10, 11, 12, 13); }
template <int N> __attribute__((section(".far"), noinline)) void far_thrower() { thrower<N>("thrown"); }
extern "C" __attribute__((visibility("default"))) int call() {
  args x{{}, 100}, y{{}, 1};
  for (int i = 0; i < 2; i++) {
    pair p = far_many<1>(), q = far_many<2>();
    printf("%d %d %ld %ld %ld %ld\n", far_fwd<1>(x, y), far_fwd<2>(x, y), p.a, p.b, p.c, q.c);
    try { far_thrower<2>(); } catch (const std::invalid_argument& e) { printf("%s\n", e.what()); }
  }
  return 0;
}
END
cat >main.cpp <<'END'
extern "C" int call();
int main() { return call(); }
END
cat >want <<'END'
101 201 3 19 173 186
thrown
101 201 3 19 173 186
thrown
END
for f in k1 k2 host; do
  as_build hipcc -O1 -mbranch-protection=standard -fPIC -fvisibility=hidden -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
done
root=/usr/aarch64-linux-gnu/lib
# far WHAT OPTION…: a library with the callers 256 MiB behind the stubs, linked so
far() {
  what=$1
  shift
  as_build hipcc -shared -mbranch-protection=standard "$@" -o libk.so k1.o k2.o host.o || fail "$what: link: $(cat err)"
  has "$what: what is lazy" '2 blobs are lazy' err
  aarch64-linux-gnu-nm libk.so >symbols
  grep -Eiq 'veneer|thunk' symbols || fail "$what: the linker has lengthened nothing: $(grep -i fwd symbols)"
  [ "$(du -k libk.so | cut -f 1)" -lt 4000 ] || fail "$what: the gap is on the disk"
  aarch64-linux-gnu-g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T"
  for go in first second; do
    qemu-aarch64 -cpu max $root/ld-linux-aarch64.so.1 --library-path $root:. ./main >got 2>errors || fail "$what, $go: it cannot be called: $(cat errors)"
    diff want got || fail "$what, $go: wrong: $(cat errors)"
  done
  rm -rf cache
}
far 'GNU ld' -Wl,--section-start=.far=0x10000000
far 'lld' -fuse-ld=lld -Wl,--section-start=.far=0x10000000 -Wl,--section-start=.text=0x19000000
exit 0
