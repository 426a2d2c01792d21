#!/bin/sh
# A library for AArch64 is built, on whatever machine, by clang for AArch64, which stands for hipcc: recorded units and stubs are objects of
# that machine, also in archives and partial links; -mbranch-protection=standard stays that of the library, guarded control stacks included; its kernels are right and its
# exceptions leave, by qemu-user, with ckjit-compile of this machine. A unit whose options ask for another machine is compiled as it is.
# tier: all
# seconds: 6
. "${0%/*}/common.sh"
need clang++ aarch64-linux-gnu-g++ aarch64-linux-gnu-objcopy qemu-aarch64 readelf
. "$here/unit/aarch64_home_fixture.sh"
is "machine of the home" machine=aarch64 "$(grep machine home/ckjit.conf)"
machine() {
  readelf -h "$1" | sed -n 's/ *Machine: *//p'
}
cat >api.hpp <<'END'
#pragma once
#include <string>
struct args { double a[40]; int n; };
template <int N> int fwd(const args& x, args y);
template <int N> std::string name(int x);
template <int N> void thrower(std::string x);
template <int N> int broken(int x);
END
for n in 1 2 3; do
  printf '#include "api.hpp"\n#include <stdexcept>\ntemplate<> int fwd<%d>(const args& x, args y) { return x.n * %d + y.n; }\ntemplate<> std::string name<%d>(int x) { return "kernel, whose name is too long to be in place " + std::to_string(x); }\ntemplate<> void thrower<%d>(std::string x) { throw std::invalid_argument(x); }\n' \
    $n $n $n $n >k$n.cpp
done
: >broken.hpp
printf '#include "api.hpp"\n#include "broken.hpp"\ntemplate<> int broken<1>(int x) { return x; }\n' >broken.cpp
cat >host.cpp <<'END'
#include "api.hpp"
#include <cstdio>
#include <stdexcept>
extern "C" __attribute__((visibility("default"))) int call() {
  args x{{}, 100}, y{{}, 1};
  for (int i = 0; i < 2; i++) printf("%d %d %d %s\n", fwd<1>(x, y), fwd<2>(x, y), fwd<3>(x, y), name<2>(7).c_str());
  for (int i = 0; i < 2; i++) try { thrower<3>("thrown"); } catch (const std::invalid_argument& e) { printf("%s\n", e.what()); }
  try { printf("%d\n", broken<1>(1)); } catch (const std::runtime_error& e) { puts("an error leaves"); }
  return 0;
}
END
cat >main.cpp <<'END'
extern "C" int call();
int main() { return call(); }
END
for f in k1 k2 k3 broken host; do
  as_build hipcc -O1 -mbranch-protection=standard -fPIC -fvisibility=hidden -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
  is "machine of $f.o" AArch64 "$(machine $f.o)"
done
readelf -SW k1.o | grep -q ckjit.record || fail "k1.cpp is not recorded"
as_build hipcc -r -nostdlib -o part.o k1.o k2.o || fail "partial link: $(cat err)"
is "machine of a partial link" AArch64 "$(machine part.o)"
aarch64-linux-gnu-ar rcs libk3.a k3.o
as_build hipcc -shared -mbranch-protection=standard -o libk.so part.o broken.o host.o -Wl,--whole-archive libk3.a -Wl,--no-whole-archive || fail "link: $(cat err)"
lacks 'a warning of the link' 'warning' err
has 'what is lazy' '4 blobs are lazy (10 functions' err
is "machine of the library" AArch64 "$(machine libk.so)"
for object in home/work/libk/objs/*.o part.o k3.o; do
  readelf -nW "$object" | grep -q 'BTI, PAC' || fail "$object takes branch target identification from the library"
done
# Newer compilers promise guarded control stacks by the same option, the third bit: stubs do not take it away, what lacks it does.
# features FILE: the bits of its property
features() {
  aarch64-linux-gnu-objcopy -O binary --only-section=.note.gnu.property "$1" note
  od -An -tu4 -j24 -N4 note | tr -d ' '
}
for bits in 3 7; do
  printf '.section .note.gnu.property,"a"\n.p2align 3\n.word 4,16,5\n.asciz "GNU"\n.word 0xc0000000,4,%s,0\n' $bits >its.s
  aarch64-linux-gnu-gcc -c its.s -o its.o
  set -- home/work/libk/objs/stubs-*.o
  aarch64-linux-gnu-ld -r -o both.o "$1" its.o
  is "promises of stubs and of code that has $bits" $bits "$(features both.o)"
done
aarch64-linux-gnu-g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T"
root=/usr/aarch64-linux-gnu/lib
calls() {
  qemu-aarch64 -cpu max $root/ld-linux-aarch64.so.1 --library-path $root:. ./main
}
echo '#error it is broken' >>broken.hpp
calls >got 2>errors || fail "it cannot be called: $(cat errors)"
cat >want <<'END'
101 201 301 kernel, whose name is too long to be in place 7
101 201 301 kernel, whose name is too long to be in place 7
thrown
thrown
an error leaves
END
diff want got || fail "wrong: $(cat errors)"
for entry in cache/*.so; do
  is "machine of $entry" AArch64 "$(machine "$entry")"
done

# options that ask for another machine than the home's compiler has
sed -i "s/ --target=aarch64-linux-gnu//" rocm/bin/hipcc
"$B/bin/ckjit-build" home --rocm "$T/rocm" --dir "$T/other" >exports 2>home.log || fail "no fake home: $(cat home.log)"
lacks "a machine that is ckjit's own" machine= other/ckjit.conf
printf 'template <int N> int f(int x);\ntemplate<> int f<1>(int x) { return x; }\n' >f.cpp
as_build hipcc --target=aarch64-linux-gnu -x c++ -c f.cpp -o f.o || fail "f.cpp: $(cat err)"
is "machine of f.o" AArch64 "$(machine f.o)"
readelf -SW f.o >sections
lacks 'f.cpp is recorded, for another machine' 'ckjit\.record' sections
exit 0
