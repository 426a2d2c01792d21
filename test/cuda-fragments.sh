#!/bin/bash
# Units of CUDA with -rdc=true: a kernel's device functions are in other units, and it is linked with those that it needs when it is first launched.
# Only these are compiled, once for all kernels; an edit of one is one compile and its links; a tag says which of several; what is missing is told.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
cat >search.h <<'C'
struct euclidean {};
struct inner_product {};
namespace search {
struct all {};
struct odd {};
}
template <class T> __device__ T distance_of(T a, T b);
__device__ bool takes(int row);
__device__ int unused_anywhere(int);
C
cat >search.cu <<'C'
#include "search.h"
template <class D, class F> __global__ void scan(float *p) { if (takes(threadIdx.x)) p[threadIdx.x] = distance_of<float>(p[0], p[1]); }
__global__ void alone(int *p) { p[0] = 7; }
__global__ void lost(float *p) { p[0] = distance_of<float>(sinf(p[0]) + atomicAdd(p + 1, rsqrtf(p[2])), 3); }
__device__ float root(float);
static __global__ void hidden(float *p) { p[0] = root(p[0]); }
extern "C" int run(int which, float *p) {
  if (which == 0) scan<euclidean, search::all><<<1, 8>>>(p);
  if (which == 1) scan<euclidean, search::odd><<<1, 8>>>(p);
  if (which == 2) scan<inner_product, search::odd><<<1, 8>>>(p);
  if (which == 3) alone<<<1, 1>>>((int *)p);
  if (which == 4) lost<<<1, 1>>>(p);
  if (which == 5) { void *a[] = {&p}; return cudaLaunchCooperativeKernel(scan<inner_product, search::all>, dim3(1), dim3(8), a, 0, 0); }
  if (which == 6) hidden<<<1, 1>>>(p);
  return cudaGetLastError();
}
C
printf '%s\n' '#include "search.h"' 'using ckjit_fragment = euclidean;' '__device__ float root(float);' \
  'template <> __device__ float distance_of<float>(float a, float b) { return root((a - b) * (a - b)); }' >euclidean.cu
printf '%s\n' '#include "search.h"' 'using ckjit_fragment = inner_product;' \
  'template <class T> __device__ T distance_of(T a, T b) { return a * b; }' 'template __device__ float distance_of<float>(float, float);' >inner.cu
printf '%s\n' '#include "search.h"' 'using ckjit_fragment = search::all;' '__device__ bool takes(int) { return true; }' >all.cu
printf '%s\n' '#include "search.h"' 'using ckjit_fragment = search::odd;' '__device__ bool takes(int row) { return row & 1; }' >odd.cu
printf '%s\n' '#include <cuda/std/utility>' '#include <cuda/std/tuple>' '__device__ float root(float x) { return sqrtf(cuda::std::get<0>(cuda::std::make_tuple(x, 1))); }' >root.cu # with variables of the headers
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
int main(int, char **v) {
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  int (*run)(int, float *) = (int (*)(int, float *))dlsym(h, "run");
  static float p[8];
  for (v += 2; *v; v++) printf("%s %d\n", *v, run(atoi(*v), p));
}
C
g++ main.cpp -o main -ldl -Lcudart -lcudart
flags='-std=c++17 -O2 -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90'
units='search euclidean inner all odd root'
compile() {
  # shellcheck disable=SC2086 # words
  as_build nvcc -rdc=true $flags -c "$1.cu" -o "$1.o" || fail "$1: $(cat err)"
  grep -q '"kind":"unit","stem":"'"$1"'"' home/work/manifest.json.ndjson || fail "$1: no lazy unit: $(tail -n 1 home/work/manifest.json.ndjson)"
}
link() {
  as_build nvcc -shared -rdc=true -gencode arch=compute_90,code=sm_90 -o libsearch.so search.o euclidean.o inner.o all.o odd.o root.o -cudart=shared -Lcudart || fail "link: $(cat err)"
}
for u in $units; do compile "$u"; done
link
has 'the summary' '6 ordinary units, lazy' err
parts() { find cache -name '*.so' -exec readelf -SW {} + | grep -c '\.ckjit\.ltoir' || :; }
links() { find cache/.fragments -name '*.linked' | wc -l; }
export CK_JIT_VERBOSE=1 CUDART_CODE=$T/code
mkdir code

# the first launch makes what its kernel needs and nothing else; the next one of other choices what is not there yet
run ./main ./libsearch.so 0 >out 2>said || fail "first: $(cat out said)"
is 'first launch' '0 0' "$(cat out)"
is 'parts and links' '4 1' "$(parts) $(links)"
has launched 'launch _Z4scanI9euclideanN6search3allEEvPf 1 8' log
run ./main ./libsearch.so 1 5 3 6 >out 2>said || fail "more: $(cat out said)"
printf '%s\n' '1 0' '5 0' '3 0' '6 0' | diff - out || fail "more: $(cat said)"
is 'parts and links of all' '6 5' "$(parts) $(links)"

# what is linked has that kernel, with code and with nothing left open
for k in scanI9euclideanN6search3all scanI9euclideanN6search3odd scanI13inner_productN6search3all 5alone 6hidden; do
  found=$(find code -name "*$k*.cubin")
  [ -n "$found" ] || fail "no code of $k was registered: $(ls code)"
  is "kernels in the code of $k" 1 "$(readelf -SW "$found" 2>/dev/null | grep -c ' \.text\.')"
  readelf -sW "$found" 2>/dev/null | lacks "open in the code of $k" ' UND _Z' -
done

# what is missing is told: this kernel has no tag, and two units define what it needs; another process finds the rest
run ./main ./libsearch.so 4 0 >out 2>said || fail "missing: $(cat out said)"
printf '%s\n' '4 98' '0 0' | diff - out || fail "missing: $(cat said)"
has 'what is missing' 'device functions are missing' said
has 'which' 'needs _Z11distance_ofIfET_S0_S0_' said
is 'what else is said to be missing' '' "$(grep ' needs ' said | grep -v 'needs _Z11distance_of\|needs _Z5takes')"
CK_JIT_ON_MISS=error run ./main ./libsearch.so 0 2 >out 2>said || fail "on miss: $(cat out said)"
printf '%s\n' '0 0' '2 98' | diff - out || fail "on miss: $(cat said)"
unset CUDART_CODE

# the commands know them
"$B/bin/ckjit-prebuild" list --kernels --manifest home/work/libsearch/ck_jit_manifest.json >kernels 2>list.err || fail "list: $(cat list.err)"
is kernels 7 "$(grep -c 'scan\|alone\|lost\|hidden' kernels)"
name=$(sed -n 's/\t.*scan<inner_product, search::odd>.*//p' kernels)
"$B/bin/ckjit-prebuild" build --manifest home/work/libsearch/ck_jit_manifest.json "$name" >said 2>&1 || fail "build $name: $(cat said)"
CK_JIT_ON_MISS=error run ./main ./libsearch.so 2 >out 2>said || fail "built: $(cat out said)"
is 'built ahead' '2 0' "$(cat out)"
explain() { "$B/bin/ckjit-build" explain home >said 2>&1 || fail "explain: $(cat said)"; }
explain
is explained 6 "$(grep -c 'ordinary unit: its host' said)"

# an edit of one is one compile, and the links of what contains it
sed -i 's/row & 1/row \& 2/' odd.cu
compile odd
link
CK_JIT_TRACE=$T/trace run ./main ./libsearch.so 0 1 3 >out 2>said || fail "edited: $(cat out said)"
printf '%s\n' '0 0' '1 0' '3 0' | diff - out || fail "edited: $(cat said)"
is 'parts and links after the edit' '7 7' "$(parts) $(links)"
is 'compiled and linked then' '1 1' "$(grep -c '"device front end"' trace) $(grep -c '"device link"' trace)"

# several architectures at once, and PTX
CK_JIT_ARCH='' run ./main ./libsearch.so 0 >out 2>said || fail "all architectures: $(cat out said)"
grep -q '^module \(sm80 sm90\|sm90 sm80\)$' log || fail "all architectures: $(cat log)"

# CMake's two steps: a device link of objects that have nothing for it, and the library's by the host's compiler
rm libsearch.so
as_build nvcc -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -dlink search.o euclidean.o inner.o all.o odd.o root.o -o dlink.o -lcudadevrt || fail "device link: $(cat err)"
as_build c++ -shared -o libsearch.so search.o euclidean.o inner.o all.o odd.o root.o dlink.o -Lcudart -lcudart || fail "link by c++: $(cat err)"
run ./main ./libsearch.so 1 3 >out 2>said || fail "two links: $(cat out said)"
printf '%s\n' '1 0' '3 0' | diff - out || fail "two links: $(cat said)"

# what cannot be vouched for: a device variable
echo '__device__ int total; __global__ void sum() { atomicAdd(&total, 1); }' >total.cu
as_build nvcc -dc -gencode arch=compute_90,code=sm_90 -Xcompiler -fPIC total.cu -o total.o || fail "total: $(cat err)"
explain
has 'a device variable' 'it has the device variable total, which' said
# and beside device code that is there already and needs theirs: the objects become nvcc's at the device link
echo '__device__ float root(float); __global__ void uses_root(float *x) { *x = root(*x); }' >stock.cu
CK_JIT_UNITS=0 as_build nvcc -rdc=true -gencode arch=compute_90,code=sm_90 -Xcompiler -fPIC -c stock.cu -o stock.o || fail "stock: $(cat err)"
before=$(stat -c %Y search.o)
as_build nvcc -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -dlink search.o euclidean.o all.o root.o stock.o -o dlink.o || fail "mixed: $(cat err)"
has 'why' '4 units with -rdc=true are compiled without ckjit: stock.o, which was compiled already' err
is 'time of the object' "$before" "$(stat -c %Y search.o)"
nm search.o >names
has 'as stock' '__cudaRegisterLinkedBinary' names
as_build c++ -shared -o libmixed.so search.o euclidean.o all.o root.o stock.o dlink.o -Lcudart -lcudart -lcudadevrt "-L$cuda/lib64" || fail "mixed: $(cat err)"
nm libmixed.so | lacks 'the library as stock' 'ckjit\|ck_jit' -
explain
is 'why by explain' 4 "$(grep -c 'not lazy: .*stock.o, which was compiled already' said)"
