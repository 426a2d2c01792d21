#!/bin/sh
# Without a tag it is the linker's own rule: a kernel is linked of the fragments that define what it needs, and what they
# need. The others are not compiled. A change in one that a kernel does not need costs that kernel nothing.
# tier: check
# seconds: 15
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
cat >api.hpp <<'END'
#pragma once
template <int N> int run();
END
cat >device.hpp <<'END'
#pragma once
#include "api.hpp"
#include "hip.h"
struct near {};
struct far {};
template <class T> __device__ int reach(int x);
__device__ int helper(int x);
extern "C" __device__ int plain(int x);
END
for n in 1:near 2:far; do
  cat >"k${n%:*}.cu" <<END
#include "device.hpp"
template <int N> __global__ void kernel(int *p) { *p = reach<${n#*:}>(*p); }
template <> int run<${n%:*}>() { const void *volatile k = reinterpret_cast<const void *>(&kernel<${n%:*}>); return k ? ${n%:*} : -1; }
END
done
cat >near.cu <<'END'
#include "device.hpp"
template <> __attribute__((noinline)) __device__ int reach<near>(int x) { return helper(x) + 1; }
END
cat >far.cu <<'END'
#include "device.hpp"
using which = far; // a name of its own for the argument
template <> __attribute__((noinline)) __device__ int reach<which>(int x) { return plain(x) + 2; }
END
echo '#include "device.hpp"
__attribute__((noinline)) __device__ int helper(int x) { return x * 3; }' >helper.cu
echo '#include "device.hpp"
extern "C" __attribute__((noinline)) __device__ int plain(int x) { return x * 5; }' >plain.cu
echo '#include "device.hpp"
__device__ int nobody(int x) { return x; }' >nobody.cu
cat >host.cpp <<'END'
#include "api.hpp"
extern "C" int call(int n) { return n == 1 ? run<1>() : run<2>(); }
END
c++ -fPIC -c host.cpp -o host.o
unit k1 k2 near far helper plain nobody
objects='host.o k1.o k2.o near.o far.o helper.o plain.o nobody.o'
# shellcheck disable=SC2086 # a list
link libn.so $objects
summary '5 fragments, 2 blobs that may need them, 2 combinations'
is 'the first kernel' 1 "$(calls libn.so 1)"
is 'compiled' 'helper.o k1.o near.o ' "$(made object)"
device cache/k1.so
for f in _Z5reachI4nearEii _Z6helperi _Z6kernelILi1EEvPi; do
  grep -q "FUNC .* $f$" device.symbols || fail "no $f in $(cat device.symbols)"
done
lacks 'a fragment that is not needed is in the code object' plain device.symbols
is 'the second kernel' 2 "$(calls libn.so 2)"
is 'compiled then' 'far.o helper.o k1.o k2.o near.o plain.o ' "$(made object)"

# helper changes: the kernel that needs it is linked again, the other is only given its new name
sed -i 's/3/7/' helper.cu
unit helper
# shellcheck disable=SC2086 # a list
link libn.so $objects
reset
is 'both kernels' '1 2 ' "$(calls libn.so 1 2 | tr '\n' ' ')"
is 'compiled after the edit' 'helper.o ' "$(made object)"
is 'linked after the edit' 'k1.so ' "$(made link)"
device "$(find cache -name 'k2.*.so')" # under its keyed name: the plain one is the first library's

# a header that all read changes: everything does
echo '// changed' >>device.hpp
unit k1 k2 near far helper plain nobody
# shellcheck disable=SC2086 # a list
link libn.so $objects
reset
is 'both kernels' '1 2 ' "$(calls libn.so 1 2 | tr '\n' ' ')"
is 'compiled after the edit of a header' 6 "$(count object)"

# by hand, without a cache: the same, in a directory of its own
reset
"$compile" --manifest "$work/libn/ck_jit_manifest.json" --blob k1 --arch gfx90a --output alone.so || fail 'not compiled by hand'
is 'compiled by hand' '0-k1.o 1-near.o 3-helper.o ' "$(made object)"
device alone.so
grep -q 'FUNC .* _Z6helperi$' device.symbols || fail 'by hand: no helper'
is 'left beside it' '' "$(find . -maxdepth 1 -name '.*tmp*')"
