#!/bin/sh
# What ckjit cannot vouch for is compiled ahead of time and linked by the real device linker, as without ckjit: where a real
# object has device code that a kernel may need, where a stub does not compile. A real object that needs fragments gets them.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
reset
kinds_of() { sed -n 's/^{"ckjit":1,"kind":"\([a-z]*\)","stem":"'"$1"'".*/\1/p' "$work/manifest.json.ndjson" | tail -n 1; }
for f in square cube all odd; do is "the kind of $f" fragment "$(kinds_of $f)"; done
for e in 1 2; do is "the kind of entry_$e" blob "$(kinds_of entry_$e)"; done

# not a fragment: a variable, a host function, a kernel; nor anything in a form whose objects look otherwise
no() { # no NAME TEXT [FLAG]: NAME.cu is left to the real compiler
  printf '#include "device.hpp"\n%s\n' "$2" >"$1.cu"
  FLAGS=${3-} unit "$1"
  is "the kind of $1" '' "$(kinds_of "$1")"
  readelf -SW "$1.o" | grep -q 'CLANG_OFFLOAD_BUNDLE' || fail "$1.o is not the real compiler's"
}
no variable '__device__ int counter = 3;'
no both '__host__ __device__ int both(int x) { return x; }'
no kernel_alone 'template <int N> __global__ void k(int *p) { *p = N; }
template __global__ void k<3>(int *);'
printf '#include "device.hpp"\n__device__ int other(int x) { return x; }\n' >lto.cu
FLAGS=-foffload-lto unit lto
is 'with another form of device code' '' "$(kinds_of lto)"

# a kernel of its own in a real object stands in nobody's way
# shellcheck disable=SC2086 # a list
link libk.so $objects kernel_alone.o
summary '2 blobs are lazy'
is 'beside a kernel' 111 "$(calls libk.so 111)"

# a device variable in a real object: a kernel may need it
cat >one.cu <<'END'
#include "device.hpp"
extern __device__ int counter;
template <int N> __global__ void one(int *p) { *p = counter; }
template <> int run<7, square, cube>() { const void *volatile k = reinterpret_cast<const void *>(&one<7>); return k ? 7 : -1; }
END
cat >host7.cpp <<'END'
#include "api.hpp"
extern "C" __attribute__((visibility("default"))) int call(int) { return run<7, square, cube>(); }
END
c++ -fPIC -I. -c host7.cpp -o host7.o
unit one
link libv.so host7.o one.o variable.o square.o
summary '0 blobs are lazy'
summary 'all with -fgpu-rdc is compiled ahead of time, 1 fragment: '
summary 'variable.o, which was compiled already, defines counter for the device'
reset
is 'ahead of time' 7 "$(calls libv.so 7)"
is 'made for the cache' '' "$(cat made)"
device libv.so
grep -q 'OBJECT .* counter$' device.symbols && grep -q '_Z3oneILi7EEvPi.kd$' device.symbols || fail "$(cat device.symbols)"
# the same in an archive; beside one that has nothing for others, and needs nothing, all are lazy
ar rc libd.a variable.o
link libv.so host7.o one.o libd.a square.o
summary 'libd.a(variable.o), which was compiled already, defines counter for the device'
ar rc liba.a kernel_alone.o
link liba.so host.o entry_1.o entry_2.o square.o odd.o liba.a
summary '2 blobs are lazy'
# clang's driver reads no device code of a thin one, and has to find some elsewhere
rm liba.a
ar rcT liba.a kernel_alone.o
link liba.so host.o entry_1.o entry_2.o square.o odd.o liba.a
summary 'the thin archive liba.a has device code that was compiled already'

# a real object that calls a fragment
cat >caller.cu <<'END'
#include "device.hpp"
static __device__ int inner(int x) { return distance<1>(x); }
static __global__ void own(int *p) { *p = inner(*p); }
extern "C" __attribute__((visibility("default"))) const void *own_kernel() { return reinterpret_cast<const void *>(&own); }
END
unit caller
is 'the kind of caller' '' "$(kinds_of caller)"
link libc.so host.o entry_1.o entry_2.o square.o odd.o caller.o
summary '2 fragments (linked into the library as well)'
summary '2 blobs are lazy'
is 'a lazy kernel beside it' 101 "$(calls libc.so 101)"
device libc.so
grep -q 'FUNC .* _Z8distanceILi1EEii$' device.symbols || fail "the fragment is not linked for its caller: $(cat device.symbols)"

# its signature needs a type of its own: no stub, and then nothing with -fgpu-rdc is left for later
cat >strange.cu <<'END'
#include "entry.hpp"
struct own_type {};
template <> int run<9, own_type, filters::odd>() { const void *volatile k = reinterpret_cast<const void *>(&kernel<1>); return k ? 9 : 1; }
END
unit strange
link libs.so host.o entry_1.o entry_2.o square.o odd.o strange.o
summary '0 blobs are lazy'
summary 'strange.cu is compiled ahead of time'
is 'and works' 201 "$(calls libs.so 201)"

# with the new driver, clang 23's default, the objects have the bitcode in another section
rdc="$rdc --offload-new-driver"
unit entry_1 entry_2 square odd caller
readelf -SW caller.o | grep -q ' \.llvm\.offloading ' || fail 'the new driver writes other objects'
link libn.so host.o entry_1.o entry_2.o square.o odd.o caller.o
summary '2 blobs are lazy'
summary '2 fragments (linked into the library as well)'
reset
is 'with the new driver' 101 "$(calls libn.so 101)"
is 'each was compiled once' 'entry_1.o odd.o square.o ' "$(made object)"
