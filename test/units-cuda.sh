#!/bin/bash
# A library of two ordinary units of CUDA, lazy: each kernel is compiled when it is first launched, the front end once for a unit, and the next
# process loads them. The machine code is what nvcc makes of the whole unit. Templates, static kernels, kernels of an unnamed namespace and of
# extended lambdas; variables that the host or kernels write bring their unit as a whole; a stock unit beside them goes through; several
# architectures at once, and PTX.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
need python3
. "$here/unit/cuda_units_fixture.sh"
cat >a.cu <<'C'
namespace {
__global__ void hidden(int *p, int n) { p[n] = 5; }
}
template <int N> __global__ void times(int *p, int n) { p[n] *= N; }
template <class F> __global__ void each(F f, int *p) { p[threadIdx.x] = f(p[threadIdx.x]); }
static __global__ void inner(int *p, int n, float f) { for (int i = 0; i < n; i++) p[i] = (int)(f * sinf(p[i])); }
#ifdef __CUDA_ARCH__
#warning a device says
#else
#warning the host says
#endif
extern "C" int a(int which, int *p, int n) {
  if (which == 0) hidden<<<1, 64>>>(p, n);
  if (which == 1) times<3><<<2, 32, 5>>>(p, n);
  if (which == 2) times<4><<<2, 32>>>(p, n);
  if (which == 3) inner<<<1, 1>>>(p, n, 2.5f);
  if (which == 4) each<<<1, 8>>>([=] __host__ __device__(int x) { return x + n; }, p);
  if (which == 5) each<<<1, 8>>>([n] __device__(int x) { return x * n; }, p);
  return cudaGetLastError();
}
C
cat >b.cu <<'C'
#include "b.h"
__constant__ int table[4];
__constant__ int fixed[2] = {3, 4};
__device__ int counter;
__global__ void look(int *p) { p[0] = table[p[1]]; }
__global__ void count(int *p) { p[0] = atomicAdd(&counter, SCALE); }
__global__ void plain(int *p, long n) { p[0] = n; }
template <int N> __global__ void times(int *p, int n) { p[n] *= N; }
extern "C" int b(int which, int *p) {
  int values[4] = {1, 2, 3, 4}, back[4] = {};
  if (which == 0) plain<<<1, 1>>>(p, 77);
  if (which == 1) return cudaMemcpyToSymbol(table, values, sizeof values);
  if (which == 2) return cudaMemcpyFromSymbol(back, table, sizeof back) ? -1 : back[2];
  if (which == 3) count<<<1, 1>>>(p);
  if (which == 4) times<3><<<1, 1>>>(p, 0); /* a.cu has this kernel, too */
  if (which == 5) look<<<1, 1>>>(p);
  return cudaGetLastError();
}
C
echo '#define SCALE 3' >b.h
cat >stock.cu <<'C'
__global__ void ours(int *p) { p[0] = 9; }
extern "C" int stock(int *p) { ours<<<1, 1>>>(p); return cudaGetLastError(); }
C
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
struct dim3 { unsigned x, y, z; };
typedef void kernel(void **, const dim3 *, const dim3 *);
extern "C" void cudart_kernel(const char *, kernel *);
extern "C" int cudart_registered();
static void set(void **a, int v) { (*(int **)a[0])[*(int *)a[1]] = v; }
static void times(void **a, int v) { (*(int **)a[0])[*(int *)a[1]] *= v; }
static int p[8] = {0, 7}, (*a)(int, int *, int), (*b)(int, int *), (*stock)(int *);
static void *h;
static void call(const char *v) {
  int which = atoi(v + 1), r = *v == 'a' ? a(which, p, 1) : *v == 'b' ? b(which, p) : stock(p);
  printf("%s %d %d %d\n", v, r, p[0], p[1]);
  fflush(stdout);
}
static void open(const char *file) {
  h = dlopen(file, RTLD_NOW);
  if (!h) puts(dlerror()), exit(1);
  a = (int (*)(int, int *, int))dlsym(h, "a");
  b = (int (*)(int, int *))dlsym(h, "b");
  stock = (int (*)(int *))dlsym(h, "stock");
}
int main(int, char **v) {
  cudart_kernel("_ZN", [](void **a, const dim3 *, const dim3 *b) { set(a, b->x); });
  cudart_kernel("_Z5timesILi3", [](void **a, const dim3 *, const dim3 *) { times(a, 3); });
  cudart_kernel("_Z5timesILi4", [](void **a, const dim3 *, const dim3 *) { times(a, 4); });
  cudart_kernel("_Z5innerPiif", [](void **a, const dim3 *, const dim3 *) { set(a, (int)(2 * *(float *)a[2])); });
  cudart_kernel("_Z5plain", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = *(long *)a[1]; });
  cudart_kernel("_Z4ours", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 9; });
  const char *file = v[1];
  open(file);
  for (v += 2; *v; v++)
    if (**v == 'o') dlclose(h), printf("left %d\n", cudart_registered()), open(file); /* once more */
    else if (**v == 'f') {
      if (!fork()) call(*v + 1), _exit(0);
      wait(0);
    } else
      call(*v);
  dlclose(h);
  printf("left %d\n", cudart_registered());
}
C
flags='-std=c++17 -O2 --extended-lambda -Xcompiler -fPIC'
archs='-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90'
for u in a b; do
  # shellcheck disable=SC2086 # words
  as_build nvcc $flags $archs -MD -c $u.cu -o $u.o || fail "$u: $(cat err)"
  cp err $u.err
  grep -q '"kind":"unit","stem":"'$u'"' home/work/manifest.json.ndjson || fail "$u: no lazy unit: $(cat err)"
done
# shellcheck disable=SC2086 # words
CK_JIT_UNITS=0 as_build nvcc $flags -arch=sm_90 -c stock.cu -o stock.o || fail "stock: $(cat err)"

# the object and its depfile are nvcc's: the same functions and variables, and machine code
has 'a warning of the host' 'the host says' a.err
# shellcheck disable=SC2086 # words
for u in a b; do
  "$cuda/bin/nvcc" $flags $archs -MD -MF nvcc.d -c $u.cu -o $u.nvcc.o 2>nvcc.err || fail "nvcc: $(cat nvcc.err)"
  sed "s/^$u.nvcc.o/$u.o/" nvcc.d | sort >nvcc.files
  sort $u.d | cmp - nvcc.files || fail "its depfile: $(sort $u.d | diff - nvcc.files)"
done
names() {
  nm "$1" | sed 's/^[0-9a-f ]* //; s/__N__[0-9a-f]*_4_a_cu_[0-9a-f_]*hidden/hidden/g; s/_Z\([A-Z]*\)[0-9]*__device/_Z\1__device/; s/N[0-9]*_GLOBAL/N_GLOBAL/g' |
    grep -v 'fatbinData\|ckjit\|recorded_by\|\.cold\|^r \.L' | sort
}
names a.nvcc.o >wanted
names a.o >found
diff wanted found >names.diff || fail "its symbols: $(cat names.diff)"

# any link: with the shared or the static runtime, by nvcc, of an archive
as_build c++ -shared -o libunits.so a.o b.o stock.o -Lcudart -lcudart || fail "link: $(cat err)"
has 'the summary' '2 ordinary units, lazy' err
nm -D --defined-only libunits.so | lacks 'it shows' 'ckjit\|__wrap\|__real' -
g++ main.cpp -o main -ldl -Lcudart -lcudart

# registered when it is loaded: what stock has
run ./main ./libunits.so >out || fail "loading: $(cat out)"
is 'registered at load' 'module sm90 ptx90 function _Z4oursPi gone ' "$(tr -s ' \n' ' ' <log)"
[ ! -e cache ] || fail "it has made a cache: $(ls -R cache)"

export CK_JIT_VERBOSE=1 CUDART_CODE=$T/code
mkdir code
run ./main ./libunits.so a1 a1 a3 s0 a0 a2 a4 a5 >out 2>said || fail "first launches: $(cat out said)"
printf '%s\n' 'a1 0 0 21' 'a1 0 0 63' 'a3 0 0 5' 's0 0 9 5' 'a0 0 9 64' 'a2 0 9 256' 'a4 0 9 256' 'a5 0 9 256' 'left 0' | diff - out || fail "first launches: $(cat said)"
is compiled 6 "$(grep -c ': compiled in' said)"
is 'registered and launched' '7 7' "$(grep -c '^function' log) $(grep -c '^launch [^?]' log)"
is 'the front end' 1 "$(find cache -name '*.so' -exec readelf -SW {} + | grep -c '\.ckjit\.nvvm')"

# machine code, and what belongs to a kernel, is that of the whole unit
# shellcheck disable=SC2086 # words
"$cuda/bin/nvcc" $flags -gencode arch=compute_90,code=sm_90 -cubin a.cu -o stock.cubin 2>/dev/null
cat >compare.py <<'PY'
import re, struct, sys, glob
def sections(file):
    d = open(file, 'rb').read()
    off, = struct.unpack_from('<Q', d, 40)
    size, n, names = struct.unpack_from('<HHH', d, 58)
    heads = [struct.unpack_from('<IIQQQQII', d, off + i * size) for i in range(n)]
    at = heads[names][4]
    out = {}
    for h in heads:
        name = d[at + h[0]:d.index(b'\0', at + h[0])].decode()
        out[re.sub(r'\d+_GLOBAL__N__\w*hidden', 'hidden', name)] = d[h[4]:h[4] + h[5]]
    return out
stock, n = sections(sys.argv[1]), 0
for file in glob.glob('code/*.cubin'):
    for name, data in sections(file).items():
        if name.startswith('.text.'):
            want = stock.get(name)
            if want is None: sys.exit('%s: nvcc has no %s but %s' % (file, name, list(stock)))
            if want != data: sys.exit('%s: other code of %s' % (file, name))
            n += 1
print(n)
PY
rm -f code/_Z4oursPi.cubin
is 'kernels with code as of the whole unit' 6 "$(python3 compare.py stock.cubin 2>&1)"
unset CUDART_CODE

# the next process finds them; b's kernel of the same name is its own; unloaded and loaded again; a child after a fork
run ./main ./libunits.so a3 a1 b4 o a2 fa1 >out 2>said || fail "again: $(cat out said)"
printf '%s\n' 'a3 0 0 5' 'a1 0 0 15' 'b4 0 0 15' 'left 0' 'a2 0 0 60' 'a1 0 0 180' 'left 0' | diff - out || fail "again: $(cat said)"
is 'compiled by b4' 1 "$(grep -c ': compiled in' said)"
run ./main ./libunits.so b0 b4 >out 2>said
is 'compiled of b' 1 "$(grep -c ': compiled in' said)"

# a variable that the host writes: the whole unit at that call, and from then on no kernel of it is asked for
run ./main ./libunits.so b0 b1 b2 b3 b5 b0 >out 2>said || fail "variables: $(cat out said)"
printf '%s\n' 'b0 0 77 7' 'b1 0 77 7' 'b2 3 77 7' 'b3 0 77 7' 'b5 0 77 7' 'b0 0 77 7' 'left 0' | diff - out || fail "variables: $(cat said)"
is 'compiled for variables' 1 "$(grep -c ': compiled in' said)"
has 'a variable' 'variable table' log
# a kernel that uses one that others write asks for the whole unit, which is there
rm -rf cache
run ./main ./libunits.so b3 b5 b0 >out 2>said || fail "shared: $(cat out said)"
printf '%s\n' 'b3 0 0 7' 'b5 0 0 7' 'b0 0 77 7' 'left 0' | diff - out || fail "shared: $(cat said)"
is 'compiled for a shared variable' 2 "$(grep -c ': compiled in' said)"
rm -rf cache
run ./main ./libunits.so b5 b0 >out 2>said || fail "constant: $(cat out said)"
is 'one that the host writes' 2 "$(grep -c ': compiled in' said)"

# a GPU that is newer than all code takes PTX; without a GPU all architectures are compiled, each as nvcc has it
CK_JIT_ARCH=compute_90 run ./main ./libunits.so a1 a2 >out 2>said || fail "PTX: $(cat out said)"
has PTX 'module ptx90' log
CK_JIT_ARCH='' run ./main ./libunits.so a1 >out 2>said || fail "all architectures: $(cat out said)"
grep -q '^module \(sm80 \(sm90 ptx90\|ptx90 sm90\)\|sm90 ptx90 sm80\)$' log || fail "all architectures: $(cat log said)"

# what cannot be compiled is told, and the launch fails with the runtime's error
rm -rf cache
text=$(find home/work/trees -name "$(sed -n 's/.*"kind":"unit","stem":"a".*"key":"\([0-9a-f]*\)".*/\1/p' home/work/manifest.json.ndjson | tail -n 1).text")
mv "$text" text.kept
run ./main ./libunits.so a1 b0 >out 2>said || fail "no text: $(cat out said)"
printf '%s\n' 'a1 98 0 7' 'b0 0 77 7' 'left 0' | diff - out || fail "no text: $(cat said)"
has 'which error' 'cudaErrorInvalidDeviceFunction; this is reported once' said
mv text.kept "$text"

# the sources are not needed
rm a.cu b.cu b.h
CK_JIT_CACHE_DIR=$T/no-sources run ./main ./libunits.so a3 b0 >out 2>said || fail "without sources: $(cat out said)"
printf '%s\n' 'a3 0 0 5' 'b0 0 77 5' 'left 0' | diff - out || fail "without sources: $(cat said)"
