#!/bin/sh
# With CK_JIT_PER_KERNEL=1 the host's side of a HIP blob stays in the cache, and its kernels come when one is launched. If a header is
# another one by then, a new process notices that at its first call, as it does of an entry: host code and kernels are made anew, of one text.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
need g++
. "$here/unit/hip_fixture.sh"
export CK_JIT_VERBOSE=1 CK_JIT_PER_KERNEL=1
unset CK_JIT_ON_MISS CK_JIT_CACHE_READONLY_DIR CK_JIT_NAME
mkdir base system
echo '#define SCALE 1' >system/scale.hpp
cat >base/k.hpp <<'END'
#include <scale.hpp>
template <int N> int call_();
template <int N> int count_(int x);
END
cat >base/k1.cu <<'END'
#include <hip/hip_runtime.h>
#include "k.hpp"
template <int M> struct body { static __device__ float go(float x) { return body<M - 1>::go(x * 1.5f + sinf(x)) + cosf(x); } };
template <> struct body<0> { static __device__ float go(float x) { return x; } };
template <int M> __global__ void kernel(int *p) { *p = (int)body<20>::go(*p) + SCALE; } // its pass takes longer than the host's
static int counter = 0;
template <> int call_<1>() {
  kernel<0><<<1, 64>>>(nullptr);
  return 1000 * hipGetLastError() + 10 * SCALE + counter;
}
template <> int count_<1>(int x) { return 10 * SCALE + (counter += x); }
END
cat >base/api.cpp <<'END'
#include "k.hpp"
#include <cstdio>
#include <exception>
void run(int call) {
  try {
    printf("%d\n", count_<1>(1));
    if (call) printf("%d\n", call_<1>());
  } catch (const std::exception &e) { printf("threw %s\n", e.what()); }
}
END
echo 'void run(int); int main(int n, char **) { run(n > 1); }' >main.cpp
"$B/bin/ckjit-build" home --dir home >home.env 2>said || fail "$(cat said)"
(
  eval "$(cat home.env)"
  export CK_JIT_BASE="$T/base"
  cd base && hipcc -O1 -fPIC -isystem "$T/system" --offload-arch=gfx90a -c k1.cu -o k1.o &&
    hipcc -std=c++17 -fPIC -isystem "$T/system" -c api.cpp -o api.o && hipcc -shared k1.o api.o -o "$T/libk.so"
) >said 2>&1 || fail "$(cat said)"
grep -q "1 blob is lazy" said || fail "not lazy: $(cat said)"
g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T" -Wl,--allow-shlib-undefined

# calls WANTED [call]: the numbers that are printed
calls() {
  wanted=$1
  shift
  run ./main "$@" >out 2>said || fail "$(cat out said)"
  [ "$(tr '\n' ' ' <out)" = "$wanted" ] || fail "expected '$wanted', found '$(cat out)': $(cat said)"
}
nothing_compiles() { [ -z "$("$B/bin/ckjit-prebuild" status 2>/dev/null)" ]; }
# side: the host's side is there, and nothing else
side() {
  rm -rf cache
  calls '11 '
  await 'the compile to end' nothing_compiles
  rm -f cache/k1*.so
  [ -e cache/.host/k1.so ] || fail "no host's side: $(cat said)"
}

# ---- nothing was changed: it is used, and its kernels belong to it
side
calls '11 '
grep -q "loaded from $T/cache/.host/k1.so" said || fail "$(cat said)"
lacks 'it is there' 'k1: compiled in' said
calls '11 11 ' call
grep -q "k1: kernels loaded from $T/cache/k1.so" said || fail "$(cat said)"

# ---- what may not compile does with what is there, and a read-only cache is that of whoever filled it
side
echo '#define SCALE 2' >system/scale.hpp
CK_JIT_ON_MISS=error calls '11 '
grep -q "loaded from $T/cache/.host/k1.so" said || fail "$(cat said)"
mkdir -m 700 own
CK_JIT_CACHE_DIR=$T/own CK_JIT_CACHE_READONLY_DIR=$T/cache calls '21 21 ' call

# ---- a header of the system was: host code and kernels are of the new one, in this process and in later ones
for time in first later; do
  calls '21 21 ' call
  lacks "the $time process has the old host's side" 'loaded from .*/.host/' said
done
lacks 'the later process compiles' 'k1: compiled in' said
[ ! -e cache/.host/k1.so ] || fail 'the old one is kept'

# ---- it is as it was: the library's own again
echo '#define SCALE 1' >system/scale.hpp
calls '11 11 ' call

# ---- a header of the library was: the call is refused, as of an entry that is not there
side
echo '#define MORE' >>base/k.hpp
run ./main call >out 2>said || fail "$(cat out said)"
grep -q '^threw .*link the library again' out || fail "$(cat out said)"
