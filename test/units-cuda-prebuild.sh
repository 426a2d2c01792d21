#!/bin/bash
# What test/units-prebuild.sh says of HIP, for CUDA, of a unit whose host side is made without cicc and of one whose is not: explain, list, build of a unit and of
# a kernel by each of its names, a kernel that shares variables, the command that a miss names, warm, clean; and a cache that others may write to is not used.
# tier: all
# seconds: 9
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >a.cu <<'C'
template <int N> __global__ void times(int *p) { p[threadIdx.x] *= N; }
namespace { __global__ void first(int *p) { *p = 0; } }
extern "C" int a(int which) {
  if (which) times<3><<<1, 1>>>(nullptr); else first<<<1, 1>>>(nullptr);
  return cudaGetLastError();
}
C
cat >b.cu <<'C'
__constant__ int table[4];
__device__ int counter;
static __global__ void look(int *p) { *p = table[1]; }
static __global__ void count(int *p) { *p = atomicAdd(&counter, 1); }
static __global__ void count_twice(int *p) { *p = atomicAdd(&counter, 2); }
extern "C" int b(int which) {
  if (which > 2) return cudaMemcpyToSymbol(table, &which, 4);
  if (which == 2) look<<<1, 1>>>(nullptr);
  if (which == 1) count_twice<<<1, 1>>>(nullptr);
  if (which == 0) count<<<1, 1>>>(nullptr);
  return cudaGetLastError();
}
C
cat >main.cpp <<'C'
#include <cstdio>
#include <dlfcn.h>
int main(int, char **v) {
  void *h = dlopen("./libunits.so", RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  while (*++v) {
    char name[2] = {**v};
    printf("%s %d\n", *v, ((int (*)(int))dlsym(h, name))((*v)[1] - '0'));
  }
}
C
g++ main.cpp -o main -ldl -Lcudart -lcudart
for n in a b; do
  as_build nvcc -std=c++17 -O2 -Xcompiler -fPIC -arch=sm_90 -c $n.cu -o $n.o || fail "$n: $(cat err)"
done
as_build c++ -shared -o libunits.so a.o b.o -Lcudart -lcudart || fail "link: $(cat err)"
has 'the summary' '2 ordinary units, lazy' err
"$B/bin/ckjit-build" explain home >out
has 'explain: a' "$T/a.cu: unit: it is an ordinary unit: its host side is compiled now, each kernel when it is first launched (2 kernels) [unit]" out
has 'explain: b' "$T/b.cu: unit: it is an ordinary unit: its host side is compiled now, each kernel when it is first launched (3 kernels) [unit]" out
is 'explain: lazy' 2 "$(grep -c 'libunits.so: lazy, an ordinary unit' out)"
export CK_JIT_MANIFEST="$T/home/work/libunits/ck_jit_manifest.json"
prebuild() {
  status=0
  "$B/bin/ckjit-prebuild" "$@" >out 2>said || status=$?
}
# there WANTED WHAT…: what is launched, without a compiler
there() {
  wanted=$1
  shift
  CK_JIT_ON_MISS=error CK_JIT_NVCC=/nonexistent run ./main "$@" >got 2>err || fail "$*: $(cat err)"
  is "$*" "$wanted" "$(tr '\n' ' ' <got)"
}

prebuild list --kernels
is 'list --kernels' 5 "$(grep -c '^[ab]-[0-9a-f]\{12\}\.[0-9a-f]\{16\}	' out)"
tab=$(printf '\t')
times=$(sed -n "s/${tab}void times<3>(int\*)//p" out) first=$(sed -n "s/${tab}(anonymous namespace)::first(int\*)//p" out)
count=$(sed -n "s/${tab}count(int\*)//p" out) look=$(sed -n "s/${tab}look(int\*)//p" out)
prebuild list --json --all
has 'list --json' '"signature":"void times<3>(int*)","symbol":"_Z5timesILi3EEvPi","kernel":"'"$times"'","state":"absent"' out
prebuild build "$times"
has 'build of a kernel' '1 compiled, 0 in the cache already, 0 failed' out
there 'a1 0 a0 98 b2 98 ' a1 a0 b2
prebuild build "$first" "${first##*.}"
has 'build of another' '1 compiled, 0 in the cache already, 0 failed' out
prebuild build _Z5timesILi3EEvPi "a-000000000000.${times##*.}"
has 'by the mangled name, and of an earlier build' '0 compiled, 1 in the cache already, 0 failed' out
there 'a1 0 a0 0 b2 98 ' a1 a0 b2
prebuild list "$times" "$count"
is 'list of kernels' 'cached absent' "$(cut -f 3 out | tr '\n' ' ' | sed 's/ $//')"
prebuild build "$count"
has 'a kernel that shares a variable: its unit, too' '2 compiled, 0 in the cache already, 0 failed' out
there 'b0 0 b1 0 ' b0 b1
prebuild build "${look%.*}"
is 'build of a unit: status' 0 $status
there 'b0 0 b1 0 b2 0 b3 0 ' b0 b1 b2 b3
prebuild clean "$times"
there 'a1 98 a0 0 ' a1 a0
prebuild build "${times%.*}.0123456789abcdef"
is 'a kernel that there is not: status' 1 $status

# the command that a miss names
rm -r cache
CK_JIT_ON_MISS=error run ./main a0 >got 2>err || fail "a miss: $(cat err)"
sh -c "$(sed -n 's/^to build it: //p' err)" >out 2>said || fail "what a miss names: $(cat out said)"
there 'a0 0 ' a0

# what calls waited for
unset CK_JIT_WARM
export CK_JIT_JOBS=2 CK_JIT_JOB_MEMORY=0
rm -r cache
run ./main a1 >got 2>err || fail "a1: $(cat err)"
rm cache/*.so
prebuild warm --wait libunits.so
is "warm: status ($(cat out said))" 0 $status
there 'a1 0 ' a1
export CK_JIT_WARM=0

# a cache that others may write to is not looked into
chmod 777 cache
run ./main a1 >got 2>err || fail "an open cache: $(cat err)"
has 'an open cache' "$T/cache" err
there 'a1 98 ' a1
chmod 700 cache
there 'a1 0 ' a1
