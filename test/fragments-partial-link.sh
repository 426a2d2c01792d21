#!/bin/sh
# A partial link with device code (-r --hip-link -fgpu-rdc) of stubs is a stub of all their records, whatever links it later;
# beside real objects their device code is linked there. If a real object's device code and a stub's need each other, all is
# compiled there as without ckjit, and said once.
# tier: long
# seconds: 25
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
[ -x home/bin/amdclang++ ] || skip 'this hipcc starts no clang++ that is known'
# partial OUTPUT OBJECT…: as a build does that hands its device code to a linker that knows none
partial() {
  out_=$1
  shift
  # shellcheck disable=SC2086 # a list of flags
  as_build amdclang++ $rdc -r --hip-link -nostdlib -o "$out_" "$@" || fail "$out_: $(cat err)"
}
# plain OUTPUT OBJECT…: the link behind it, which links no device code
plain() {
  out_=$1
  shift
  as_build hipcc -shared -o "$out_" "$@" || fail "$out_: $(cat err)"
}
# shellcheck disable=SC2046,SC2086 # lists
partial part.o ${objects#host.o }
is 'a partial link of stubs says' '' "$(cat err)"
is 'records in it' 6 "$(grep -ac '"ckjit":1' part.o)"
plain libp.so host.o part.o
summary '2 blobs are lazy'
# shellcheck disable=SC2086 # a list
is 'its kernels' "$numbers" "$(calls libp.so $numbers | paste -sd ' ')"
printf '%s\n' entry_1.o entry_2.o >some.rsp
partial some.o @some.rsp square.o cube.o
partial again.o some.o all.o odd.o
plain liba.so host.o again.o
summary '2 blobs are lazy'
is 'a partial link of one' 211 "$(calls liba.so 211)"

# beside a real object with a kernel of its own
printf '#include "device.hpp"\ntemplate <int N> __global__ void k(int *p) { *p = N; }\ntemplate __global__ void k<3>(int *);\n' >alone.cu
unit alone
partial beside.o entry_1.o entry_2.o square.o cube.o alone.o all.o odd.o
readelf -SW beside.o | grep -q ' \.hip_fatbin ' || fail "the device code of the real object was not linked"
plain libb.so host.o beside.o
summary '2 blobs are lazy'
is 'beside a real object' 111 "$(calls libb.so 111)"

# a kernel that needs a device variable of a real object; and a real object that calls a fragment
cat >one.cu <<'END'
#include "device.hpp"
extern __device__ int counter;
template <int N> __global__ void one(int *p) { *p = counter; }
template <> int run<7, square, cube>() { const void *volatile k = reinterpret_cast<const void *>(&one<7>); return k ? 7 : -1; }
END
printf '#include "device.hpp"\n__device__ int counter = 3;\n' >variable.cu
printf '#include "api.hpp"\nextern "C" __attribute__((visibility("default"))) int call(int) { return run<7, square, cube>(); }\n' >host7.cpp
printf '#include "device.hpp"\nstatic __device__ int inner(int x) { return distance<1>(x); }\nstatic __global__ void own(int *p) { *p = inner(*p); }
extern "C" __attribute__((visibility("default"))) const void *own_kernel() { return reinterpret_cast<const void *>(&own); }\n' >caller.cu
c++ -fPIC -I. -c host7.cpp -o host7.o
unit one variable caller
grep -q '"ckjit":1' one.o || fail 'one.cu was not recorded'
partial needs.o one.o variable.o
summary 'needs.o: it is built without ckjit, with no kernel lazy: '
summary 'variable.o, which was compiled already, defines counter for the device'
is 'how often it is said' 1 "$(grep -c 'built without ckjit' err)"
lacks 'a record in what was compiled' '"ckjit":1' needs.o
partial calls.o square.o caller.o
summary 'calls.o: it is built without ckjit'
lacks 'a record in what was compiled' '"ckjit":1' calls.o
plain libn.so host7.o needs.o
is 'compiled in the partial link' 7 "$(calls libn.so 7)"
plain libc.so calls.o
device libc.so
grep -q 'FUNC .* _Z8distanceILi1EEii$' device.symbols || fail "the fragment is not linked for its caller: $(cat device.symbols)"
# its stub does not compile, which only the compiler can say: the link behind it could not link its device code
cat >strange.cu <<'END'
#include "entry.hpp"
struct own_type {};
template <> int run<9, own_type, filters::odd>() { const void *volatile k = reinterpret_cast<const void *>(&kernel<1>); return k ? 9 : 1; }
END
unit strange
grep -q '"ckjit":1' strange.o || fail 'strange.cu was not recorded'
partial left.o strange.o entry_1.o square.o odd.o
summary 'left.o: it is built without ckjit'
plain libl.so host.o left.o -Wl,--unresolved-symbols=ignore-all
device libl.so
grep -q '_Z6kernelILi1EEvPi.kd$' device.symbols || fail "no kernel in what was compiled: $(cat device.symbols)"
