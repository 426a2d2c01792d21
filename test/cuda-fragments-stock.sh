#!/bin/bash
# Units of CUDA with -rdc=true whose device link kernels cannot be given one by one: two share a variable, a function with one of its own is another
# unit's, nobody defines what is needed, two define the same. The device link is nvcc's then, with its words and its exit status, and explain says why.
# tier: all
# seconds: 50
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
flags='-Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
explain() { "$B/bin/ckjit-build" explain home >said 2>&1 || fail "explain: $(cat said)"; }
# The units NAME… with -rdc=true, of which EXPECTED are lazy.
compile() {
  expected=$1
  shift
  : >home/work/manifest.json.ndjson
  for u; do
    # shellcheck disable=SC2086 # words
    as_build nvcc -rdc=true $flags -c "$u.cu" -o "$u.o" || fail "$u: $(cat err)"
  done
  explain
  [ "$(grep -c "\"kind\":\"unit\"" home/work/manifest.json.ndjson)" = "$expected" ] || fail "$* are not $expected lazy units: $(cat said)"
}
# shellcheck disable=SC2086 # words
link() {
  rm -f lib.so
  as_build nvcc -shared $flags "$@" -o lib.so -cudart=shared -Lcudart
}
# The link of NAME… is lazy.
is_lazy() {
  link "${@/%/.o}" || fail "link of $*: $(cat err)"
  nm lib.so >names
  has "lazy: $*" ckjit names
}
# The link of NAME… is nvcc's, because of WHY.
is_stock() {
  why=$1
  shift
  link "${@/%/.o}" || fail "link of $*: $(cat err)"
  has "why $* are stock" "$why" err
  nm lib.so | lacks "stock: $*" 'ckjit\|ck_jit' -
  explain
  has "explain of $*" "not lazy: $why" said
}

# a function of another unit has a static variable; a unit's own kernels may have one
cat >count.cu <<'C'
__device__ int count() { static int n; return atomicAdd(&n, 1); }
C
cat >a.cu <<'C'
__device__ int count();
__global__ void a(int *p) { p[0] = count(); }
C
cat >own.cu <<'C'
template <class T> __device__ T counted() { static T n; return atomicAdd(&n, 1); }
__global__ void own(int *p) { p[0] = counted<int>(); }
C
compile 3 a count own
is_stock 'a.cu needs _Z5countv of count.cu, which has the device variable' a count
compile 2 a own
compile 1 own
is_lazy own

# an inline function with a static variable: of one unit, and of two
sed 's/void own/void other/' own.cu >other.cu
compile 2 own other
is_stock 'kernels of own.cu and other.cu share the device variable' own other

# a device variable that another unit's function uses
echo '__device__ int total; __global__ void sum(int *p) { p[0] = total; }' >total.cu
echo 'extern __device__ int total; __device__ void add(int n) { atomicAdd(&total, n); }' >add.cu
echo '__device__ void add(int); __global__ void b() { add(2); }' >b.cu
compile 2 total add b
is_stock 'no unit that is linked with it defines total, which add.cu needs' total add b
explain
has 'a variable' 'it has the device variable total, which all kernels of a device link share' said

# nobody defines it: nvlink's words and status, and those of a build without ckjit
fails_as_stock() {
  # shellcheck disable=SC2086 # words
  for u; do CK_JIT_UNITS=0 as_build nvcc -rdc=true $flags -c "$u.cu" -o "$u.o" || fail "stock: $(cat err)"; done
  link "${@/%/.o}" && fail "$*: a build without ckjit links them"
  grep nvlink err >stock.said || fail "nvlink says nothing of $*: $(cat err)"
  compile $# "$@"
  link "${@/%/.o}" && fail "$* were linked"
  grep nvlink err | diff stock.said - || fail "$*: other words: $(cat err)"
  [ ! -e lib.so ] || fail "$*: there is a library"
}
echo '__device__ int nowhere(int); __global__ void lost(int *p) { p[0] = nowhere(p[1]); }' >lost.cu
fails_as_stock lost
compile 1 lost
# shellcheck disable=SC2086 # words
as_build nvcc -dlink $flags lost.o -o dlink.o && fail 'the device link of lost.o passes'
has 'in a device link' "Undefined reference to '_Z7nowherei'" err
# … and if its call is removed, or the name is the toolkit's, nothing is missing
cat >dead.cu <<'C'
#include <cstdio>
__device__ int nowhere(int);
__global__ void dead(int *p) { if (sizeof *p == 5) p[0] = nowhere(1); }
C
compile 1 dead
link dead.o || fail "dead: $(cat err)"
cat >much.cu <<'C'
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/std/tuple>
__global__ void much(float *f, double *d, int *i) {
  f[0] = sinf(f[1]) + powf(f[2], f[3]) + rnorm3df(f[0], f[1], f[2]) + fmaxf(f[0], f[1]) + __expf(f[4]) + normcdfinvf(f[5]) + erff(f[1]) + modff(f[1], f + 9);
  d[0] = cyl_bessel_i0(d[1]) + fma(d[1], d[2], d[3]) + erf(d[2]) + ldexp(d[2], i[0]) + rsqrt(d[4]);
  printf("%f\n", f[0]);
  assert(i[0] != 3);
  int *p = new int[4];
  memcpy(p, i, 16);
  delete[] p;
  free(malloc(3));
  i[1] = (int)clock64() + max(i[0], i[1]) + llmin(i[0], i[2]) + isinf(f[2]);
  cooperative_groups::this_grid().sync();
}
C
compile 1 much
is_lazy much

# two define it
echo 'extern "C" __device__ int twice() { return 1; }' >one.cu
echo 'extern "C" __device__ int twice() { return 2; }' >two.cu
echo 'extern "C" __device__ int twice(); __global__ void t(int *p) { p[0] = twice(); }' >t.cu
fails_as_stock t one two
# … and two with one tag, with a third between them in the link
for u in one two; do { echo 'struct some; using ckjit_fragment = some;' && cat $u.cu; } >${u}_some.cu; done
{ echo 'struct other; using ckjit_fragment = other;' && cat two.cu; } >two_other.cu
fails_as_stock t one_some two_other two_some
has 'the two that are in the way' 'one_some.cu and two_some.cu define the device function twice' err

# a tag says nothing if there is nothing to choose: as with nvcc, every kernel has it
{ echo 'struct some; using ckjit_fragment = some;' && cat one.cu; } >one_tagged.cu
compile 2 t one_tagged
is_lazy t one_tagged
loading_main
echo 'extern "C" int run() { int p; t<<<1, 1>>>(&p); return cudaGetLastError(); }' >>t.cu
compile 2 t one_tagged
is_lazy t one_tagged
run ./main >out 2>said || fail "tagged: $(cat out said)"
is 'with a tag of nobody' 0 "$(cat out)"

# a kernel that launches others needs libcudadevrt
echo '__global__ void child() {} __global__ void parent() { child<<<1, 1>>>(); }' >parent.cu
compile 0 parent
explain
has 'libcudadevrt' 'not lazy: a kernel of its launches others (' said
# … but not if only the host calls such a function, as it does thrust::sort, whose device version is in the unit as well
cat >both.h <<'C'
template <class T> __global__ void leaf(T *p) { p[0] = 1; }
template <class T> __host__ __device__ int both(T *p) { leaf<<<1, 1>>>(p); return cudaGetLastError(); }
C
{ cat both.h && echo 'extern "C" int run() { int p; return both(&p); }'; } >both.cu
compile 1 both
is_lazy both
loading_main
run ./main >out 2>said || fail "both: $(cat out said)"
is 'a host function with launches' 0 "$(cat out)"
# a kernel of another unit that calls it gets no such function at its launch
echo 'template <class T> __host__ __device__ int both(T *p); __global__ void far(int *p) { p[0] = both(p); }' >far.cu
compile 2 both far
is_stock 'no unit that is linked with it defines _Z4bothIiEiPT_' both far
# and what LTO-IR is asked for
for form in '-gencode arch=compute_90,code=lto_90' '-dlto -arch=sm_90'; do
  : >home/work/manifest.json.ndjson
  # shellcheck disable=SC2086 # words
  as_build nvcc -rdc=true -Xcompiler -fPIC $form -c own.cu -o own.o || fail "$form: $(cat err)"
  lacks "lazy with $form" '"kind":"unit"' home/work/manifest.json.ndjson
  explain
  has "explain of $form" 'write something other than an object, or may' said
done
