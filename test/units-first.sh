#!/bin/bash
# A library of two ordinary units, lazy: each kernel is compiled when it is first launched, once for two processes, and by the next process
# loaded from the cache; a launch after that asks HIP for nothing more. Templates, static kernels and kernels of an unnamed namespace; a
# variable that the host writes brings its unit as a whole; a stock unit beside them goes through. All addresses are gone with the library.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
# With one processor no front end runs beside the first kernel (units-hip-front.sh), so its entry is not there.
one_processor "$0" "$@"
. "$here/unit/hip_fixture.sh"
units_home
cat >a.hip <<'C'
#include <hip/hip_runtime.h>
namespace {
__global__ void hidden(int *p, int n) { p[n] = 5; }
}
template <int N> __global__ void times(int *p, int n) { p[n] *= N; }
static __global__ void inner(int *p, int n, float f) { p[n] = (int)f; }
extern "C" __attribute__((visibility("default"))) int a(int which, int *p, int n) {
  if (which == 0) hidden<<<1, 64>>>(p, n);
  if (which == 1) times<3><<<2, 32, 5>>>(p, n);
  if (which == 2) times<4><<<2, 32>>>(p, n);
  if (which == 3) inner<<<1, 1>>>(p, n, 2.5f);
  return hipGetLastError();
}
C
cat >b.hip <<'C'
#include <hip/hip_runtime.h>
__constant__ int table[4];
__device__ int counter;
__global__ void count(int *p) { p[0] = atomicAdd(&counter, table[1]); }
__global__ void plain(int *p, long n) { p[0] = n; }
template <int N> __global__ void times(int *p, int n) { p[n] *= N; }
extern "C" __attribute__((visibility("default"))) int b(int which, int *p) {
  int values[4] = {1, 2, 3, 4}, back[4] = {};
  if (which == 0) plain<<<1, 1>>>(p, 77);
  if (which == 1) return hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof values);
  if (which == 2) return hipMemcpyFromSymbol(back, HIP_SYMBOL(table), sizeof back) ? -1 : back[2];
  if (which == 3) count<<<1, 1>>>(p);
  if (which == 4) times<3><<<1, 1>>>(p, 0); /* one of a.hip has this kernel, too */
  return hipGetLastError();
}
C
cat >stock.hip <<'C'
#include <hip/hip_runtime.h>
__global__ void ours(int *p) { p[0] = 9; }
extern "C" __attribute__((visibility("default"))) int stock(int *p) { ours<<<1, 1>>>(p); return hipGetLastError(); }
C
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
struct dim3 { unsigned x, y, z; };
typedef void kernel(void **, const dim3 *, const dim3 *);
extern "C" void hiprt_kernel(const char *, kernel *);
extern "C" int hiprt_registered();
static void set(void **a, int v) { (*(int **)a[0])[*(int *)a[1]] = v; }
static void times(void **a, int v) { (*(int **)a[0])[*(int *)a[1]] *= v; }
int main(int, char **v) {
  int p[4] = {0, 7};
  hiprt_kernel("_ZN12_GLOBAL__N_16hidden", [](void **a, const dim3 *, const dim3 *b) { set(a, b->x); });
  hiprt_kernel("_Z5timesILi3", [](void **a, const dim3 *, const dim3 *) { times(a, 3); });
  hiprt_kernel("_Z5timesILi4", [](void **a, const dim3 *, const dim3 *) { times(a, 4); });
  hiprt_kernel("_ZL5inner", [](void **a, const dim3 *, const dim3 *) { set(a, (int)(2 * *(float *)a[2])); });
  hiprt_kernel("_Z5plain", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = *(long *)a[1]; });
  hiprt_kernel("_Z4ours", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 9; });
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  auto a = (int (*)(int, int *, int))dlsym(h, "a");
  auto b = (int (*)(int, int *))dlsym(h, "b");
  auto stock = (int (*)(int *))dlsym(h, "stock");
  for (v += 2; *v; v++) {
    int which = atoi(*v + 1), r = **v == 'a' ? a(which, p, 1) : **v == 'b' ? b(which, p) : stock(p);
    printf("%s %d %d %d\n", *v, r, p[0], p[1]);
    fflush(stdout);
  }
  dlclose(h);
  printf("left %d\n", hiprt_registered());
}
C
for u in a b; do
  as_build hipcc -std=c++17 -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c $u.hip -o $u.o || fail "$u: $(cat err)"
done
CK_JIT_UNITS=0 as_build hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c stock.hip -o stock.o || fail "stock: $(cat err)"
as_build hipcc -shared -o libunits.so a.o b.o stock.o || fail "link: $(cat err)"
has 'the summary' 'ckjit-link: libunits.so: 2 ordinary units, lazy; ' err
lacks 'what the library does not have' 'blobs\|dispatchers' err
g++ main.cpp -o main -ldl -Lhip -lamdhip64
nm -D --defined-only libunits.so | lacks 'it shows' 'ckjit\|__wrap\|__real' -
readelf -SW libunits.so | lacks 'records in the library' '\.ckjit\.record' -

# registered when it is loaded: what stock has
run ./main ./libunits.so >out || fail "loading: $(cat out)"
is 'nothing is launched' "$(printf '%s\n' 'left 0')" "$(cat out)"
is 'registered at load' 'module function _Z4oursPi gone ' "$(tr -s ' \n' ' ' <log)"
[ ! -e cache ] || fail "it has made a cache: $(ls -R cache)"

export CK_JIT_VERBOSE=1
run ./main ./libunits.so a1 a1 a3 s0 >out 2>said || fail "first launches: $(cat out said)"
printf '%s\n' 'a1 0 0 21' 'a1 0 0 63' 'a3 0 0 5' 's0 0 9 5' 'left 0' | diff - out || fail "first launches: $(cat said)"
is compiled 2 "$(grep -c ': compiled in' said)"
is asked 'module function _Z4oursPi module function _Z5timesILi3EEvPii launch _Z5timesILi3EEvPii 2 32 5 module function _ZL5innerPiif launch _ZL5innerPiif 1 1 0 launch _Z4oursPi 1 1 0 gone gone gone ' \
  "$(sed 's/_ZL5inner[.a-z0-9_]*Piif/_ZL5innerPiif/' log | tr -s ' \n' ' ')"

# the next process finds them, and a second library of the same units as well
run ./main ./libunits.so a3 a1 b4 >out 2>said || fail "again: $(cat out said)"
printf '%s\n' 'a3 0 0 5' 'a1 0 0 15' 'b4 0 0 15' 'left 0' | diff - out || fail "again: $(cat said)"
lacks 'compiled again' ': compiled in' said
is loaded 2 "$(grep -c ': loaded from' said)"

# two processes at once compile a kernel once
for i in 1 2; do
  HIPRT_LOG=$T/log$i LD_LIBRARY_PATH=$T/hip ./main ./libunits.so a2 >out$i 2>said$i &
done
wait
cat out1 out2 | sort | uniq -c | grep -q '^ *2 a2 0 0 28$' || fail "together: $(cat out1 said1 out2 said2)"
is 'compiled by one of two' 1 "$(cat said1 said2 | grep -c ': compiled in')"

# who launches many of a unit gets the rest together: the second brings the whole unit, which the next process finds
whole() { [ "$(find many -maxdepth 1 -name 'a-*.so' | wc -l)" = 3 ]; }
CK_JIT_CACHE_DIR=$T/many CK_JIT_WARM=detach CK_JIT_JOBS=2 CK_JIT_UNIT_KERNELS=2 run ./main ./libunits.so a1 a2 >out 2>said || fail "many: $(cat out said)"
is 'the whole unit is compiled' 1 "$(grep -c 'compiling the whole unit in the background' said)"
await 'the whole unit' whole
CK_JIT_CACHE_DIR=$T/many CK_JIT_ON_MISS=error run ./main ./libunits.so a3 a0 a1 >out 2>said || fail "many: $(cat out said)"
printf '%s\n' 'a3 0 0 5' 'a0 0 0 64' 'a1 0 0 192' 'left 0' | diff - out || fail "the whole unit: $(cat said)"
is 'registered once' 1 "$(grep -c module log | awk '{ print $1 - 1 }')"

# after an upgrade, which changes the stems of units, a first launch brings the kernels that were launched before, and no others
rm many/*.so
record=many/.used/libunits.so
[ "$(grep -c '	a-[0-9a-f]*	_Z' $record)" = 2 ] || fail "the record: $(cat $record)"
sed -i 's/	a-[0-9a-f]*	/	a-000000000000	/' $record
printf '1\t5\t-\ta-000000000000\t_Z4gonePi\n1\t5\t-\tz-000000000000\t_Z4oursPi\n' >>$record
before() { [ "$(find many -maxdepth 1 -name 'a-*.so' | wc -l)" = 2 ]; }
CK_JIT_CACHE_DIR=$T/many CK_JIT_WARM=detach CK_JIT_JOBS=2 CK_JIT_UNIT_KERNELS=0 run ./main ./libunits.so a1 >out 2>said || fail "an upgrade: $(cat out said)"
is 'ahead of their launches' 1 "$(grep -c 'compiling ahead of their calls 1 previously called kernel$' said)"
await 'what was launched before' before
CK_JIT_CACHE_DIR=$T/many CK_JIT_ON_MISS=error run ./main ./libunits.so a1 a2 >out 2>said || fail "an upgrade: $(cat out said)"
printf '%s\n' 'a1 0 0 21' 'a2 0 0 84' 'left 0' | diff - out || fail "what was launched before: $(cat out said)"
# and as one unit if a process that launches so many would compile it
rm many/*.so
CK_JIT_CACHE_DIR=$T/many CK_JIT_WARM=detach CK_JIT_JOBS=2 CK_JIT_UNIT_KERNELS=1 run ./main ./libunits.so a1 >out 2>said || fail "one unit: $(cat out said)"
await 'the whole unit' before

# a variable that the host writes: the whole unit at that call, and from then on no kernel of it is asked for
run ./main ./libunits.so b0 b1 b2 b3 b0 >out 2>said || fail "variables: $(cat out said)"
printf '%s\n' 'b0 0 77 7' 'b1 0 77 7' 'b2 3 77 7' 'b3 0 77 7' 'b0 0 77 7' 'left 0' | diff - out || fail "variables: $(cat said)"
is 'compiled for variables' 2 "$(grep -c ': compiled in' said)"
has 'a variable' 'variable table' log
run ./main ./libunits.so b3 >out 2>said || fail "the whole unit again: $(cat out said)"
has 'the kernel of a whole unit' 'launch _Z5countPi 1 1 0' log
lacks 'the whole unit is compiled again' ': compiled in' said
