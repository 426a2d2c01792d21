#!/bin/bash
# A unit of CUDA whose host side is made without the front end of the device: it registers, by the names that nvcc's stub has, all kernels that its
# host code refers to, and launches them with their arguments. What cannot be vouched for is cicc's, and explain says so.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >k.cu <<'C'
#include <type_traits>
namespace {
struct own { int a; char b; };
template <int N> __global__ void hidden(int *p, float x) { p[0] = N; }
__global__ void __launch_bounds__(128, 2) hidden2(own s, double d, int *p) { p[0] = s.a; }
}
static __global__ void inner(const int *__restrict__ p, const char c, int = 4) {}
template <class T, int... I> static __global__ void __launch_bounds__(128, 2) pack(T *p, std::integral_constant<int, I>... i) {}
template <class... A>
__global__ void many(
    A... a) {
  if (sizeof...(a)) {
    return;
  }
}
namespace ns {
template <class T>
__global__ void
lines(T *p,
      int n)
{
  p[0] = n;
}
__global__
void rows(int *p,
          int n)
{
  p[0] =
      n;
}
}
extern "C" __global__ void plain(int a, struct dim3 d) {}
namespace ns {
enum e { A, B };
__global__ void before(int, const float *, int (*)(int), int (*f)(int), int a[3], dim3);
__global__ void before(int, const float *, int (*)(int), int (*f)(int), int a[3], dim3) {}
template <e E, bool b> __global__ void ofenum() {}
}
template <int N> __global__ void special(int *p) {}
template <> __global__ void special<3>(int *p) { p[0] = 3; }
template <class T> __global__ void over(T) {}
template <class T> __global__ void over(T *) {}
template <class T> __global__ void over(T *, int) {}
typedef void declares(int *);
__global__ declares declared;
__global__ void declared(int *p) {}
struct friendly { int x; friend __global__ void ofclass(friendly f); };
__global__ void ofclass(friendly f) {}
__global__ auto trailing(int x) -> void {}
[[maybe_unused]] static __global__ void nobody(int q) {}
[[nodiscard]] __device__ int dice() { return 4; }
__device__ const int device_only[] = {1, 2};
#ifdef __OPTIMIZE__ // else gcc keeps it, and what is before it may be taken for it
namespace under { static __device__ const int _ = 3; }
#endif
namespace under { int sm_101_bit; }
extern "C" int k(int which, int *p, int n) {
  switch (which) {
  case 0: hidden<7><<<1, 1>>>(p, 2.5f); break;
  case 1: hidden2<<<1, 1>>>(own{n, 'x'}, 1.5, p); break;
  case 2: inner<<<1, 1>>>(p, 'c', n); break;
  case 3: pack<int, 4, -5><<<1, 1>>>(p, {}, {}); break;
  case 4: many<<<1, 1>>>(p, 'c', n, 2.0); break;
  case 5: plain<<<1, 1>>>(n, dim3(1, 2, 3)); break;
  case 6: ns::before<<<1, 1>>>(n, 0, 0, 0, p, 0); break;
  case 12: ns::lines<<<1, 1>>>(p, n); ns::rows<<<1, 1>>>(p, n); break;
  case 7: ns::ofenum<ns::B, true><<<1, 1>>>(); declared<<<1, 1>>>(p); break;
  case 8: special<3><<<1, 1>>>(p); special<-5><<<1, 1>>>(p); break;
  case 9: over<<<1, 1>>>(n); over<<<1, 1>>>(p); over<<<1, 1>>>(p, n); break;
  case 10: ofclass<<<1, 1>>>(friendly{n}); trailing<<<1, 1>>>(n); break;
  case 11: { void (*f)(int *) = special<9>; void *a[] = {&p}; return cudaLaunchKernel((void *)f, 1, 1, a, 0, 0); }
  }
  return cudaGetLastError();
}
C
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
struct dim3 { unsigned x, y, z; };
struct own { int a; char b; };
extern "C" void cudart_kernel(const char *, void (*)(void **, const dim3 *, const dim3 *));
#define KERNEL(name, ...) cudart_kernel(name, [](void **a, const dim3 *, const dim3 *) { __VA_ARGS__; })
#define ARG(n, t) (*(t *)a[n])
int main(int, char **v) {
  void *h = dlopen("./lib.so", RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  int p[4] = {}, (*k)(int, int *, int) = (int (*)(int, int *, int))dlsym(h, "k");
  KERNEL("_ZN", if (a[1] && a[2]) {}); /* what is not below */
  KERNEL("_Z5innerPKicPi", );
  KERNEL("_Z5innerPKici", ((int *)ARG(0, const int *))[0] = 100 * (ARG(1, char) == 'c') + ARG(2, int));
  KERNEL("_Z4many", ARG(0, int *)[0] = ARG(1, char) + ARG(2, int) + (int)ARG(3, double));
  KERNEL("plain", printf("plain %d %u\n", ARG(0, int), ARG(1, dim3).z));
  KERNEL("_Z4overIiEvT_", printf("over %d\n", ARG(0, int)));
  KERNEL("_Z4overIiEvPT_i", ARG(0, int *)[1] = ARG(1, int));
  KERNEL("_Z7specialILi9E", ARG(0, int *)[0] = 9);
  for (v++; *v; v++)
    if (**v == 'm') rename("text.gone", getenv("TEXT")); /* the text is there again */
    else { int r = k(atoi(*v), p, 5); printf("%s %d %d %d\n", *v, r, p[0], p[1]); fflush(stdout); }
}
C
sed -i '/"_ZN"/d; /innerPKicPi/d' main.cpp
g++ main.cpp -o main -ldl -Lcudart -lcudart
last() { tail -n 1 home/work/manifest.json.ndjson; }
plainly() { sed 's/[0-9]*_GLOBAL__N__[0-9a-f_]*_k_cu_\(plain\|[0-9a-f]\{8\}\)\(_0\)*/unnamed/' | sort; }
ours() { readelf -p .rodata.ckjit_names "$1" 2>/dev/null | sed -n 's/^ *\[ *[0-9a-f]*\] *//p' | plainly; }
theirs() { sed -n 's/__cudaRegisterEntry(/\n&/gp' "$1" | sed -n 's/^__cudaRegisterEntry([^;]*, \([^ ,;]*\), [^,;]*);.*/\1/p' | plainly; }

# the names are those of nvcc's stub; nothing has to run the device's front end
mkdir kept
for o in '-O2 -Xcompiler -fPIC' '-O0 -g -Xcompiler -fPIC,-Wall,-Wextra'; do
  # shellcheck disable=SC2086 # words
  as_build nvcc -std=c++17 --extended-lambda $o -arch=sm_90 -c k.cu -o k.o || fail "$o: $(cat err)"
  last | grep -q '"kind":"unit"' || fail "$o: no lazy unit: $(last) $(cat err)"
  last | lacks "$o: cicc" '"stub"' -
  ours k.o >found
  # shellcheck disable=SC2086 # words
  [ -s wanted ] || { "$cuda/bin/nvcc" -std=c++17 $o -arch=sm_90 -c k.cu -o stock.o --keep --keep-dir kept 2>/dev/null && theirs kept/k.cudafe1.stub.c >wanted; }
  grep -v nobody wanted | diff - <(grep -v nobody found) || fail "$o: other names"
done
is 'kernels of the stub' 20 "$(wc -l <wanted)"

as_build nvcc -std=c++17 -O2 -Xcompiler -fPIC -arch=sm_90 -c k.cu -o k.o || fail "$(cat err)"
as_build c++ -shared -o lib.so k.o -Lcudart -lcudart || fail "link: $(cat err)"
has "lazy: k" "1 ordinary unit, lazy" err
run ./main 2 4 5 9 11 2 >out 2>said || fail "launches: $(cat out said)"
printf '%s\n' '2 0 105 0' '4 0 106 0' 'plain 5 3' '5 0 106 0' 'over 5' '9 0 106 5' '11 0 9 5' '2 0 105 5' | diff - out || fail "launches: $(cat said)"

# a launch that has failed is tried again by the next
rm -rf cache
key=$(grep "\"kind\":\"unit\"" home/work/manifest.json.ndjson | tail -n 1 | sed -n 's/.*"key":"\([0-9a-f]*\)".*/\1/p')
TEXT=$(find "$T/home/work/trees" -name "$key.text")
export TEXT
mv "$TEXT" text.gone
run ./main 4 m 4 >out 2>said || fail "again: $(cat out said)"
printf '%s\n' '4 98 0 0' '4 0 106 0' | diff - out || fail "again: $(cat said)"

# the same if the host code is nvcc's, which asks CUDA once: the address in place of the handle is never CUDA's to see
sed 's/__device__ const int device_only.*/template <class T> __constant__ T device_only[2];/; s/case 0: /case 0: cudaMemcpyToSymbol(device_only<int>, p, 8); /' k.cu >c.cu
as_build nvcc -std=c++17 -O2 -Xcompiler -fPIC -arch=sm_90 -c c.cu -o c.o || fail "$(cat err)"
is "names of nvcc's host code" '' "$(ours c.o)"
as_build c++ -shared -o lib.so c.o -Lcudart -lcudart || fail "link: $(cat err)"
has "lazy: c" "1 ordinary unit, lazy" err
key=$(grep '"kind":"unit"' home/work/manifest.json.ndjson | tail -n 1 | sed -n 's/.*"key":"\([0-9a-f]*\)".*/\1/p')
TEXT=$(find "$T/home/work/trees" -name "$key.text")
mv "$TEXT" text.gone
run ./main 4 4 m 4 4 2 >out 2>said || fail "again, nvcc's: $(cat out said)"
printf '%s\n' '4 98 0 0' '4 98 0 0' '4 0 106 0' '4 0 106 0' '2 0 105 0' | diff - out || fail "again, nvcc's: $(cat said)"
is 'what CUDA was asked' 'launch ? launch ? launch _Z4manyIJPicidEEvDpT_ launch _Z5innerPKici ' "$(sed -n 's/^\(launch [^ ]*\).*/\1/p' log | tr '\n' ' ')"

# what cicc has to make: an instance of a variable that the host copies to, closures of the
# device's. NAMES: it is asked for the names of kernels alone, and those of the object are its own
unit() { # NAME WHY NAMES
  cat >"$1.cu"
  as_build nvcc -std=c++17 --extended-lambda -O2 -Xcompiler -fPIC -arch=sm_90 -c "$1.cu" -o "$1.o" || fail "$1: $(cat err)"
  last | grep -q '"kind":"unit"' || fail "$1: no lazy unit: $(last)"
  [ "$2" ] && last | has "$1: why" "\"stub\":\"$2" -
  [ ! "$2" ] || is "$1: names" "${3-}" "$(ours "$1.o" | tr '\n' ' ')"
}
unit copied 'its host code uses the variable _Z5tableIiE of the device' <<'C'
template <class T> __constant__ T table[4];
__global__ void look(int *p) { p[0] = table<int>[1]; }
void f(int *p) { cudaMemcpyToSymbol(table<int>, p, 16); look<<<1, 1>>>(p); }
C
unit closure 'it has closures of the device'\''s' <<'C'
template <class F> __global__ void each(F f, int *p) { p[0] = f(p[0]); }
void f(int *p, int n) { each<<<1, 1>>>([n] __device__(int x) { return x + n; }, p); }
C
unit function 'what _Z4withIXadL_Z3onePiEEEvS0_ is called on the device is not certain' '_Z4withIXadL_Z3onePiEEEvS0_ ' <<'C'
template <void (*F)(int *)> __global__ void with(int *p) {}
__host__ __device__ void one(int *p) {}
void f(int *p) { with<one><<<1, 1>>>(p); }
C
unit functions 'what _Z4withIXadL_Z3onePiEEEvS0_ is called on the device is not certain' '_Z4withIXadL_Z3onePiEEEvS0_ _Z4withIXadL_Z3twoPiEEEvS0_ _Z5plainPi ' <<'C'
template <void (*F)(int *)> __global__ void with(int *p) {}
__host__ __device__ void one(int *p) {}
__host__ __device__ void two(int *p) {}
__global__ void plain(int *p) {}
void f(int *p) { with<one><<<1, 1>>>(p); with<two><<<1, 1>>>(p); plain<<<1, 1>>>(p); }
C
# functions of this unit alone, as in llama.cpp's k_bin_bcast<op_add>: cicc has them in a namespace
internal() { sed 's/[0-9]*_INTERNAL_[0-9a-f]*_9_static_cu_[0-9a-f]\{8\}\(_0\)*/internal/'; }
unit static '' <<'C'
struct half { int x; };
template <void (*F)(int *)> __global__ void with(int *p) { F(p); }
template <void (*F)(int *), class T> static __global__ void both(T *p, T *q) { F((int *)p); }
static __device__ void one(int *p) { p[0] = 1; }
static __device__ void two(int *p) { p[0] = 2; }
template <void (*F)(int *), int N> static __device__ void more(int *p) { F(p); p[0] += N; }
namespace ns { static __device__ void three(int *p) { p[0] = 3; } }
__global__ void plain(int *p) {}
void f(int *p, half *h) {
  with<one><<<1, 1>>>(p);
  with<two><<<1, 1>>>(p);
  with<ns::three><<<1, 1>>>(p);
  with<more<ns::three, 4>><<<1, 1>>>(p);
  both<two><<<1, 1>>>(h, h);
  plain<<<1, 1>>>(p);
}
C
last | has 'static: why' '"stub":"what _Z4withIXadL_Z' -
"$cuda/bin/nvcc" -std=c++17 -arch=sm_90 -c static.cu -o stock.o --keep --keep-dir kept 2>/dev/null
theirs kept/static.cudafe1.stub.c | internal | sort >wanted
is 'static: kernels of the stub' 6 "$(grep -c _Z wanted)"
ours static.o | internal | sort | diff wanted - || fail 'static: other names'
unit dependent '' <<'C'
struct codec { using word = int; template <class U> struct rebind { using other = U; }; };
template <class C> __global__ void encode(typename C::word *p, typename C::template rebind<C>::other, const typename C::word *q) {}
template <class... C> __global__ void all(const typename C::word *... p) {}
void f(int *p) { encode<codec><<<1, 1>>>(p, codec(), p); all<codec, codec><<<1, 1>>>(p, p); }
C
last | lacks 'dependent: cicc' '"stub"' -
is 'dependent: names' '_Z3allIJ5codecS0_EEvDpPKNT_4wordE _Z6encodeI5codecEvPNT_4wordENS1_6rebindIS1_E5otherEPKS2_ ' "$(ours dependent.o | tr '\n' ' ')"
# a name that gcc makes up, and C's linkage for what is internal to the unit: cicc has other names
unit alias 'what _Z1kI' '_Z1kI8namelessEvT_Pi ' <<'C'
template <class T> __global__ void k(T t, int *p) {}
using nameless = struct { char c; };
void f(int *p) { k<<<1, 1>>>(nameless{1}, p); }
C
unit namespace 'it has a namespace of C'\''s linkage' <<'C'
extern "C" namespace n { __global__ void k(int *p) {} }
void f(int *p) { n::k<<<1, 1>>>(p); }
C
unit namespaces 'it has a namespace of C'\''s linkage' <<'C'
extern "C++" namespace other { namespace extern_C { __device__ int x(); } }
#define LINKAGE extern /* of C */ "C"
LINKAGE

  // on a line of its own
  inline namespace n { __global__ void k(int *p) {} }
void f(int *p) { n::k<<<1, 1>>>(p); }
C
unit internal 'what k is called on the device is not certain' <<'C'
extern "C" { static __global__ void k(int *p) {} }
void f(int *p) { k<<<1, 1>>>(p); }
C
"$B/bin/ckjit-build" explain home >explained 2>&1 || fail "explain: $(cat explained)"
has 'explain' 'the front end of the device runs at the build: its host code uses the variable _Z5tableIiE of the device' explained
"$B/bin/ckjit-build" explain home --json >explained 2>&1
has 'explain --json' '"stub":"its host code uses the variable _Z5tableIiE of the device"' explained

# an error of the host's is nvcc's to tell, once
echo '__global__ void k(int *p) {} void f() { k<<<1, 1>>>(3); }' >bad.cu
as_build nvcc -arch=sm_90 -c bad.cu -o bad.o && fail 'an error is none'
is 'an error' 1 "$(grep -c 'error: ' err)"
# one that only cicc finds, where it has to make the stub
echo 'template <class T> __global__ void k(T t) {} void f() { auto g = [] { return 3; }; k<<<1, 1>>>(g); }' >bad.cu
as_build nvcc -arch=sm_90 -c bad.cu -o bad.o && fail "an error of cicc's is none"
is "an error of cicc's" 1 "$(grep -c 'error: The closure type for a lambda' err)"
