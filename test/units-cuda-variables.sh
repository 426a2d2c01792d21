#!/bin/bash
# The variables of the device that the host code of a CUDA unit uses are registered without the front end of the device, each with the arguments that
# nvcc's stub has for it. Of which this is not certain the front end makes the stub.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
last() { tail -n 1 home/work/manifest.json.ndjson; }

# what registers is linked with a CUDA that says with what. nvcc's name of the unit ends with a variable that others see, g10
cat >spy.cpp <<'C'
#include <cstddef>
#include <cstdio>
#include <regex>
#include <string>
extern const void *all(int);
extern "C" {
int recorded_by_ckjit__link_this_object_with_the_compiler_of_its_fake_home;
void **__cudaRegisterFatBinary(void *) { static void *m; return &m; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *) {}
void __cudaRegisterVar(void **, char *host, char *, const char *name, int ext, size_t size, int constant, int global) {
  std::string s = std::regex_replace(name, std::regex("[0-9]+(_INTERNAL|_GLOBAL__N_)_[0-9a-f]{8}_4_v_cu_([0-9a-f]{8}_0|g10)"), "$1*");
  for (int i = 0; all(i); i++)
    if (all(i) == host) printf("%d %s %d %zu %d %d\n", i, s.c_str(), ext, size, constant, global);
}
char __cudaInitModule(void **) { return 1; }
int __cudaGetKernel(void **, const void *) { return 0; }
int __cudaLaunchKernel() { return 0; }
int __cudaPushCallConfiguration() { return 0; }
int __cudaPopCallConfiguration() { return 0; }
}
int main() {}
C
g++ -O1 -c spy.cpp
cat >v.cu <<'C'
#include <cstddef>
struct empty {}; struct s3 { char a; int b[3]; }; struct longer { char c; long double l; }; struct alignas(64) aligned { int x; };
__device__ int g1; __constant__ int g2[5]; static __device__ int g3; static __constant__ s3 g4; __device__ __constant__ int g5;
__device__ const int g6 = 3; __constant__ const int g7[2] = {1, 2}; __device__ constexpr int g8 = 4; static inline constexpr __device__ empty g9{};
__device__ int g10 = 3, *g11[2]; static __device__ int (*g12)(int); static __device__ char g13[] = "abc"; alignas(16) static __device__ float3 g14;
static const __device__ char *const g15[] = {"a", "b"}; volatile __device__ int g16; __device__ longer g17; __device__ aligned g18; int static __device__ g19;
#ifdef __CUDA_ARCH__
#define INLINE __device__ constexpr
#else
#define INLINE inline constexpr
#endif
namespace ns { inline namespace v1 {
__device__ int n1; static __device__ int n2; __constant__ unsigned long n3[3]; static constexpr __device__ empty n4{}; __device__ const s3 n5 = {};
static __device__ const s3 n6{}; __device__ double *n7; INLINE empty n8{}; static __device__ int n9[2] = {}, n10; __device__ int g1;
} namespace { __device__ int n11; __constant__ s3 n12; namespace in { __device__ int n13; } } }
namespace ns::v1 { static __constant__ int n14; }
namespace other = ns; using namespace other;
namespace { __device__ int a1; __constant__ s3 a2; INLINE s3 a3{}; }
extern "C" { __device__ int c1; static __device__ int c2; }
template <int N> __device__ int of() { return N; }
__global__ void k(int *p) { p[0] = ::g1 + g2[1] + g3 + g4.a + n1 + n2 + n11 + a1; }
#define R(x) (const void *)&x,
const void *all(int i) {
  static const void *const t[] = {R(::g1) R(g2) R(g3) R(g4) R(g5) R(g6) R(g7) R(g8) R(g9) R(g10) R(g11) R(g12) R(g13) R(g14) R(g15) R(g16) R(g17)
    R(g18) R(g19) R(ns::v1::n1) R(ns::n2) R(ns::n3) R(ns::n4) R(ns::n5) R(ns::n6) R(ns::n7) R(ns::n8) R(ns::n9) R(ns::n10) R(ns::g1) R(ns::n11) R(ns::n12)
    R(ns::in::n13) R(ns::v1::n14) R(a1) R(a2) R(a3) R(c1) R(c2) nullptr};
  return t[i];
}
void launch(int *p) { k<<<1, 1>>>(p); }
C
"$cuda/bin/nvcc" -std=c++17 -arch=sm_90 -c v.cu -o stock.o 2>err || fail "stock: $(cat err)"
g++ spy.o stock.o -o stock && ./stock | sort -n >wanted
is 'variables of the stub' 39 "$(wc -l <wanted)"
for o in -O2 -O0; do
  as_build nvcc -std=c++17 "$o" -arch=sm_90 -c v.cu -o v.o || fail "$o: $(cat err)"
  last | grep -q '"kind":"unit"' || fail "$o: no lazy unit: $(last)"
  last | lacks "$o: cicc" '"stub"' -
  for ld in bfd gold lld mold; do
    command -v "ld.$ld" >/dev/null || continue
    g++ "-fuse-ld=$ld" spy.o v.o -o own 2>err || fail "$o, $ld: $(cat err)"
    ./own | sort -n | diff wanted - || fail "$o, $ld: registered otherwise"
  done
done

# one that nothing refers to is not registered, nor what begins like one of them: in S2_10policy_hub there is no _1
cat >few.cu <<'C'
namespace placeholders { __device__ const int _1 = 3; static __device__ int used, unused; }
namespace other { int _1s[3]; }
namespace a { namespace b { namespace c { namespace d {
struct policy_hub {};
template <class P, class Q> __global__ void k(int *p) { p[0] = placeholders::_1 + placeholders::unused; }
} } } }
__host__ __device__ inline int *counter() { static int _1s; return &_1s; }
const void *all(int i) { return i ? nullptr : &placeholders::used; }
void launch(int *p) { a::b::c::d::k<a::b::c::d::policy_hub, a::b::c::d::policy_hub><<<1, 1>>>(p); }
C
as_build nvcc -std=c++17 -O2 -arch=sm_90 -c few.cu -o few.o || fail "few: $(cat err)"
last | lacks 'few: cicc' '"stub"' -
is 'few: names' 1 "$(readelf -p .rodata.ckjit_variables few.o | grep -c INTERNAL)"
readelf -p .rodata.ckjit_variables few.o | has 'few: which' 12placeholders4usedE -

# without optimising gcc has all static variables in the object: those count that it refers to, from code, from data, or by a distance from their section
needs() { # NAME WANTED
  cat >"$1.cu"
  as_build nvcc -std=c++17 -O0 -Xcompiler -fPIC -arch=sm_90 -c "$1.cu" -o "$1.o" || fail "$1: $(cat err)"
  last | grep -q '"kind":"unit"' || fail "$1: no lazy unit: $(last)"
  last | lacks "$1: cicc" '"stub"' -
  is "$1: registered" "$2" "$(readelf -p .rodata.ckjit_variables "$1.o" 2>/dev/null | sed -n 's/^ *\[ *[0-9a-f]*\] *//p' | tr '\n' ' ')"
}
needs unused '' <<'C'
static __device__ int before[4], table[200], behind[4];
static __device__ inline int *get(int n) { return table + n; }
__global__ void look(int *p) { p[0] = *get(1); }
void f(int *p) { look<<<1, 1>>>(p); }
C
needs level 'middle ' <<'C'
static __device__ int first[40], middle[40], last[40];
__global__ void look(int *p) { p[0] = middle[1] + first[1] + last[1]; }
void f(int *p) { look<<<1, 1>>>(p); }
void *where(int i) { return middle + i; }
C
needs data 'table ' <<'C'
static __constant__ int first[40], table[40];
__global__ void look(int *p) { p[0] = table[1] + first[1]; }
void f(int *p) { look<<<1, 1>>>(p); }
int *const pointers[] = {nullptr, table + 39};
C
needs pragma 'table ' <<'C'
static __constant__ int table[40];
__global__ void look(int *p) { p[0] = table[1]; }
#pragma GCC optimize("O2")
void f(int *p) { look<<<1, 1>>>(p); }
C

# what is not certain: an instance of a template, what is static in a function, a type that may be const, C's linkage within a namespace, extern, a name for the
# assembler, two of one name
unit() {
  cat >"$1.cu"
  as_build nvcc -std=c++17 -O2 -arch=sm_90 -c "$1.cu" -o "$1.o" || fail "$1: $(cat err)"
  last | grep -q '"kind":"unit"' || fail "$1: no lazy unit: $(last)"
  last | has "$1: why" "\"stub\":\"$2" -
}
unit template 'its host code uses the variable _Z1vIiE of the device' <<'C'
template <class T> __device__ T v;
__global__ void k(int *p) { p[0] = v<int>; }
void f(int *p) { k<<<1, 1>>>(p); }
void *where() { return &v<int>; }
C
unit alias 'its host code uses the variable _ZN1nL1xE of the device' <<'C'
using word = const int;
namespace n { __device__ word x = 3; }
__global__ void k(int *p) { p[0] = n::x; }
void f(int *p) { k<<<1, 1>>>(p); }
const void *where() { return &n::x; }
C
unit copied 'its host code uses the variable _ZN1nL5tableE of the device' <<'C'
struct word { int x; };
namespace n { __constant__ word table; }
__global__ void k(int *p) { p[0] = n::table.x; }
void f(int *p) { cudaMemcpyToSymbol(n::table, p, 4); k<<<1, 1>>>(p); }
C
unit linkage 'its host code uses the variable' <<'C'
namespace n { extern "C" { static __device__ int x; } }
__global__ void k(int *p) { p[0] = n::x; }
void f(int *p) { k<<<1, 1>>>(p); }
void *where() { return &n::x; }
C
unit extern 'its host code uses the variable' <<'C'
extern "C" __device__ int x;
__global__ void k(int *p) { p[0] = 3; }
void f(int *p) { k<<<1, 1>>>(p); }
void *where() { return &x; }
C
unit label 'the device'\''s text is not understood' <<'C'
__device__ int x asm("y");
__global__ void k(int *p) { p[0] = x; }
void f(int *p) { k<<<1, 1>>>(p); }
void *where() { return &x; }
C
