// Kernels in all forms that a name may have, with arguments of all forms. CUDA's host side is made
// without the front end of the device (core/device/hoststub.c). Built by the regular compiler and as a lazy
// unit, the two print the same on a GPU.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <unistd.h>
#include "gpu.h"

#ifndef SCALE
#define SCALE 1
#endif

enum { N = 64 };
static int *device;
#define DO(what)                                                         \
  do {                                                                   \
    cudaError_t e_ = (what);                                             \
    if (e_) return printf("%s: %s\n", #what, cudaGetErrorString(e_)), 1; \
  } while (0)
static int show(const char *what, int line) {
  int host[N];
  cudaError_t e = cudaGetLastError();
  if (e) return printf("%s: %s (%d)\n", what, cudaGetErrorName(e), line), 1;
  DO(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  printf("%s: %d %d %d %d\n", what, host[0], host[1], host[2], host[3]);
  return cudaMemset(device, 0, sizeof host);
}
#define L(...)                                             \
  do {                                                     \
    __VA_ARGS__;                                           \
    if (show(#__VA_ARGS__, __LINE__)) failed++;            \
  } while (0)

struct point { float x, y; short s; char c; };
struct alignas(16) wide { double a[3]; unsigned char tail; };
struct empty {};
enum plain_enum { RED, GREEN = 5 };
enum class scoped : unsigned char { LOW = 3, HIGH = 200 };
template <class T, int M> struct array_of { T v[M]; struct inside { T w; template <class U> struct deeper { U u; T t; }; }; using type = T; };
template <template <class, int> class A, class T> struct takes_template { A<T, 2> a; };
template <class... T> struct list_of { int n; };
struct by_operator { __host__ __device__ int operator()(int x) const { return x * 3 + SCALE; } };
union either { int i; float f; };

// ---- where a kernel may be ----
namespace {
struct own { int a; char b; };
__global__ void unnamed(int *p, own o) { p[0] = o.a, p[1] = o.b; }
template <int K> __global__ void unnamed_of(int *p) { p[0] = K; }
namespace within { __global__ void unnamed_within(int *p) { p[0] = 77; } }
}
namespace outer { inline namespace v1 { namespace detail {
struct tag { int v; };
__global__ void named(int *p, tag t) { p[0] = t.v; }
template <class T> __global__ void named_of(T *p, T v) { p[0] = v; }
static __global__ void hidden(int *p) { p[0] = 9; }
namespace { template <class T> __global__ void deep(int *p, T v) { p[0] = sizeof(T) + v.a; } }
} } }
extern "C" __global__ void c_name(int *p, int a) { p[0] = a; }
extern "C" { namespace outer { __global__ void c_name_within(int *p, int a) { p[0] = a + 1; } } }
struct befriends { int x; friend __global__ void of_friend(int *p, befriends b); };
__global__ void of_friend(int *p, befriends b) { p[0] = b.x; }
static __global__ void internal(int *p) { p[0] = 4; }
inline __global__ void inlined(int *p) { p[0] = 5; }
__global__ auto trailing(int *p) -> void { p[0] = 6; }

// ---- arguments ----
__global__ void restricted(const int *__restrict__ a, int *__restrict__ p, const char c, volatile int *v) { p[0] = a[3] + c, p[1] = v != nullptr; }
__global__ void scalars(int *p, bool b, char c, signed char s, unsigned char u, short h, unsigned short k, long l, unsigned long m, long long n, unsigned long long o,
                        float f, double d, wchar_t w, char16_t x, char32_t y) {
  p[0] = b + c + s + u + h + k, p[1] = l + m, p[2] = int(n >> 40) + int(o >> 41), p[3] = int(f * 4) + int(d * 8) + w + x + y;
}
__global__ void classes(int *p, point a, wide w, empty, either e, plain_enum r, scoped s) { p[0] = a.x + a.s, p[1] = w.a[2] + w.tail, p[2] = e.i, p[3] = r + int(s); }
__global__ void vectors(int *p, dim3 d, float4 f, int2 i, uchar3 c, double2 g, ulonglong2 u) { p[0] = d.z, p[1] = f.w + i.y, p[2] = c.z + g.y, p[3] = u.y; }
__global__ void halves(int *p, __half h, __nv_bfloat16 b, __half2 hh, __nv_bfloat162 bb) { p[0] = float(h) * 2, p[1] = float(b) * 2, p[2] = __high2float(hh), p[3] = __high2float(bb); }
__global__ void pointers(int *p, int **pp, const point *q, void *v, const void *const cv, int (*f)(int), int (*table)[4], std::nullptr_t z, int member[3]) {
  p[0] = !pp + 2 * !q + 4 * (v == p), p[1] = !cv + 2 * !f + 4 * !table + 8 * (z == nullptr), p[2] = member == p;
}
__global__ void with_default(int *p, int a, int b = 30 * SCALE, point c = {1, 2, 3, 4}) { p[0] = a + b, p[1] = c.s; }
__global__ void nested_types(int *p, array_of<int, 3>::inside a, array_of<float, 2>::inside::deeper<char> b) { p[0] = a.w, p[1] = b.u + b.t; }
__global__ void standard(int *p, std::pair<int, float> a, std::integral_constant<int, 7>, std::array<int, 3> b) { p[0] = a.first + a.second, p[1] = sizeof b; }
__global__ void grid_constant(int *p, const __grid_constant__ wide w) { p[0] = w.a[1]; }
__global__ void nothing() {}
__global__ void says_void(void) {}
__global__ void unnamed_parameters(int *p, int, float, point) { p[0] = 12; }
__global__ void many(int *p, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l) { p[0] = a + b + c + d + e + f + g + h + i + j + k + l; }
struct large { int v[900]; };
__global__ void large_one(int *p, large l) { p[0] = l.v[899]; }
__global__ void long_double(int *p, long double *x) { p[0] = x == nullptr; }
__global__ void int128(int *p, __int128 a, unsigned __int128 b) { p[0] = int(a >> 65), p[1] = int(b >> 66); }

// ---- templates ----
template <class T> __global__ void of_type(T *p, T v) { p[0] = T(v + 1); }
template <class T> __global__ void by_value(int *p, T v) { p[0] = sizeof v; }
template <class T> __global__ void by_const(int *p, const T v) { p[0] = sizeof v; }
template <class T, class U> __global__ void repeats(int *p, T a, T b, U c, U *d, const U *e, T *f) { p[0] = sizeof a + sizeof b + sizeof c, p[1] = !d + !e + !f; }
template <int K, unsigned U, long J, bool B, char C, unsigned char D, long long M, unsigned long long Q, short S> __global__ void of_numbers(int *p) {
  p[0] = K + int(U) + int(J), p[1] = B + C + D, p[2] = int(M >> 33) + int(Q >> 34), p[3] = S;
}
template <plain_enum E, scoped S> __global__ void of_enums(int *p) { p[0] = E + int(S); }
template <class T, T V> __global__ void of_value(int *p) { p[0] = int(V); }
template <auto V> __global__ void of_auto(int *p) { p[0] = int(V); }
template <class... A> __global__ void pack(int *p, A... a) { p[0] = (0 + ... + int(a)), p[1] = sizeof...(a); }
template <int... I> __global__ void numbers(int *p) { p[0] = (0 + ... + I); }
template <class T, int... I> __global__ void both(T *p, std::integral_constant<int, I>... i) { p[0] = (0 + ... + I), p[1] = sizeof...(i); }
template <class T, class U = T, int K = 3 * SCALE> __global__ void defaults(T *p, U u) { p[0] = u + K; }
template <template <class, int> class A> __global__ void of_template(int *p, A<int, 2> a) { p[0] = a.v[1]; }
template <template <class...> class A, class... T> __global__ void of_packed_template(int *p, A<T...> a) { p[0] = a.n, p[1] = sizeof...(T); }
template <class F> __global__ void functor(F f, int *p) { p[0] = f(p[0] + 5); }
template <class T> __global__ void over(int *p, T) { p[0] = 1; }
template <class T> __global__ void over(int *p, T *) { p[0] = 2; }
template <class T> __global__ void over(int *p, T *, int) { p[0] = 3; }
__global__ void over(int *p, int) { p[0] = 4; }
__global__ void over(int *p, float) { p[0] = 5; }
template <int K> __global__ void special(int *p) { p[0] = K; }
template <> __global__ void special<3>(int *p) { p[0] = 333; }
template <class T, int K> __global__ void asked_for(T *p) { p[0] = K; }
template __global__ void asked_for<int, 8>(int *);
__host__ __device__ int twice(int x) { return 2 * x; }
template <class R, class... A> __global__ void of_signature(int *p, R (*)(A...)) { p[0] = sizeof...(A); }
template <class T> __global__ void of_reference(int *p, T *) { p[0] = std::is_const_v<T>, p[1] = std::is_pointer_v<T>; }
template <int K, class F> __global__ void __launch_bounds__(K) bounded(F f, int *p) { p[0] = f(K); }
struct traits { static constexpr int n = 4; using element = __half; template <class T> struct rebind { using type = T; T v; }; };
template <class T, bool Even, bool Vector, class E = typename T::element> __global__ void __launch_bounds__(128) traited(int *p, E e) { p[0] = T::n + Even + 2 * Vector, p[1] = float(e); }
namespace outer { template <class T> struct holder { template <class U> static void start(int *p, U u); T t; }; }
template <class H, class U> __global__ void of_holder(int *p, U u, H h) { p[0] = u + h.t; }
template <class T> template <class U> void outer::holder<T>::start(int *p, U u) { of_holder<<<1, 1>>>(p, u, holder{T(2)}); }
template <class T> void from_template(T *p, int n) { of_type<T><<<1, 1>>>(p, T(n)); }

static void *as_pointer(void (*f)(int *)) { return (void *)f; }

static int where() {
  int failed = 0, *p = device;
  L(unnamed<<<1, 1>>>(p, own{3, 'b'}));
  L(unnamed_of<7><<<1, 1>>>(p));
  L(within::unnamed_within<<<1, 1>>>(p));
  L(outer::detail::named<<<1, 1>>>(p, {8}));
  L(outer::detail::named_of<<<1, 1>>>(p, 9));
  L(outer::detail::hidden<<<1, 1>>>(p));
  L(outer::detail::deep<<<1, 1>>>(p, own{4, 'c'}));
  L(c_name<<<1, 1>>>(p, 5));
  L(outer::c_name_within<<<1, 1>>>(p, 5));
  L(of_friend<<<1, 1>>>(p, befriends{22}));
  L(internal<<<1, 1>>>(p));
  L(inlined<<<1, 1>>>(p));
  L(trailing<<<1, 1>>>(p));
  return failed;
}
static int arguments() {
  int failed = 0, *p = device;
  large l;
  for (int i = 0; i < 900; i++) l.v[i] = i;
  L(restricted<<<1, 1>>>(p, p, 'c', p));
  L(scalars<<<1, 1>>>(p, true, 'a', -3, 200, -300, 60000, -70000L, 80000UL, -(5LL << 41), 7ULL << 42, 1.5f, 2.25, L'w', u'x', U'y'));
  L(classes<<<1, 1>>>(p, point{1, 2, 3, 4}, wide{{1, 2, 3}, 9}, empty{}, either{6}, GREEN, scoped::HIGH));
  L(vectors<<<1, 1>>>(p, dim3(1, 2, 3), make_float4(1, 2, 3, 4), make_int2(5, 6), make_uchar3(7, 8, 9), make_double2(1, 2), make_ulonglong2(3, 4)));
  L(halves<<<1, 1>>>(p, __float2half(1.5f), __float2bfloat16(2.5f), __floats2half2_rn(1, 3), __floats2bfloat162_rn(1, 4)));
  L(pointers<<<1, 1>>>(p, nullptr, nullptr, p, nullptr, nullptr, nullptr, nullptr, p));
  L(with_default<<<1, 1>>>(p, 1));
  L(with_default<<<1, 1>>>(p, 1, 2, point{1, 2, 5, 6}));
  L(nested_types<<<1, 1>>>(p, {6}, {'c', 2.f}));
  L(standard<<<1, 1>>>(p, {1, 2.f}, {}, {}));
  L(grid_constant<<<1, 1>>>(p, wide{{1, 2, 3}, 9}));
  L(nothing<<<1, 1>>>());
  L(says_void<<<1, 1>>>());
  L(unnamed_parameters<<<1, 1>>>(p, 1, 2, point{}));
  L(many<<<1, 1>>>(p, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  L(large_one<<<1, 1>>>(p, l));
  L(long_double<<<1, 1>>>(p, nullptr));
  L(int128<<<1, 1>>>(p, __int128(3) << 65, (unsigned __int128)(5) << 66));
  return failed;
}
static int templates() {
  int failed = 0, *p = device;
  L(of_type<<<1, 1>>>(p, 3));
  L(of_type<float><<<1, 1>>>((float *)p, 3));
  L(of_type<unsigned char><<<1, 1>>>((unsigned char *)p, 3));
  L(of_type<long long><<<1, 1>>>((long long *)p, 3));
  L(by_value<<<1, 1>>>(p, point{}));
  L(by_value<<<1, 1>>>(p, true));
  L(by_value<<<1, 1>>>(p, wide{}));
  L(by_value<std::pair<int, std::tuple<char, double>>><<<1, 1>>>(p, {}));
  L(by_value<const char *><<<1, 1>>>(p, nullptr));
  L(by_value<int (*)(const point &, own &&)><<<1, 1>>>(p, nullptr));
  L(by_const<<<1, 1>>>(p, 4.5));
  L(by_const<int *><<<1, 1>>>(p, nullptr));
  L(repeats<point, wide><<<1, 1>>>(p, {}, {}, {}, nullptr, nullptr, nullptr));
  L(of_numbers<-3, 4000000000u, -1, true, 'c', 255, -(1LL << 40), 1ULL << 63, -7><<<1, 1>>>(p));
  L(of_enums<GREEN, scoped::HIGH><<<1, 1>>>(p));
  L(of_value<long, -5><<<1, 1>>>(p));
  L(of_value<scoped, scoped::LOW><<<1, 1>>>(p));
  L(of_auto<5><<<1, 1>>>(p));
  L(of_auto<'c'><<<1, 1>>>(p));
  L(of_auto<true><<<1, 1>>>(p));
  L(of_auto<scoped::LOW><<<1, 1>>>(p));
  L(pack<<<1, 1>>>(p));
  L(pack<<<1, 1>>>(p, 1, 2.5f, 'c', true, 7L));
  L(numbers<><<<1, 1>>>(p));
  L(numbers<1, -2, 30><<<1, 1>>>(p));
  L(both<int, 4, -5><<<1, 1>>>(p, {}, {}));
  L(defaults<int><<<1, 1>>>(p, 3));
  L(defaults<int, char, 4><<<1, 1>>>(p, 'a'));
  L(of_template<array_of><<<1, 1>>>(p, {{5, 6}}));
  L(of_packed_template<<<1, 1>>>(p, list_of<int, char, point>{4}));
  L(functor<<<1, 1>>>(by_operator{}, p));
  L(over<<<1, 1>>>(p, 1.5));
  L(over<<<1, 1>>>(p, p));
  L(over<<<1, 1>>>(p, p, 3));
  L(over<<<1, 1>>>(p, 1));
  L(over<<<1, 1>>>(p, 1.5f));
  L(over<int><<<1, 1>>>(p, 1));
  L(special<3><<<1, 1>>>(p));
  L(special<-3><<<1, 1>>>(p));
  L(asked_for<int, 8><<<1, 1>>>(p));
  L(of_signature<<<1, 1>>>(p, twice));
  L(of_reference<<<1, 1>>>(p, (const int *)nullptr));
  L(of_reference<<<1, 1>>>(p, (int *const *)nullptr));
  L(bounded<64><<<1, 1>>>(by_operator{}, p));
  L(traited<traits, true, false><<<1, 1>>>(p, __float2half(2)));
  L(traited<traits, false, true, float><<<1, 1>>>(p, 3.f));
  L(by_value<traits::rebind<point>><<<1, 1>>>(p, {}));
  L(outer::holder<int>::start(p, 7));
  L(from_template(p, 6));
  L(from_template((unsigned *)p, 7));
  return failed;
}
// These are not certain; the front end of the device is asked for them.
#ifdef UNCERTAIN
template <size_t... I> __global__ void sequence(int *p, std::index_sequence<I...>) { p[0] = (0 + ... + int(I)); }
template <class T> __global__ void enabled(int *p, std::enable_if_t<std::is_integral<T>::value, T> v) { p[0] = v + 1; }
template <class T> __global__ std::enable_if_t<std::is_integral_v<T>> returns(int *p, T v) { p[0] = v + 2; }
template <class T> __global__ void dependent(int *p, typename T::type v) { p[0] = int(v); }
template <int A, int B> __global__ void computes(int *p, array_of<int, A + B> a) { p[0] = a.v[A + B - 1]; }
template <int (*F)(int)> __global__ void of_function(int *p) { p[0] = F(6); }
static int uncertain() {
  int failed = 0, *p = device;
  L(dependent<array_of<float, 3>><<<1, 1>>>(p, 2.f));
  L(enabled<int><<<1, 1>>>(p, 4));
  L(sequence<<<1, 1>>>(p, std::make_index_sequence<5>{}));
  L(returns<int><<<1, 1>>>(p, 4));
  L(computes<1, 2><<<1, 1>>>(p, {{4, 5, 6}}));
  L(of_function<twice><<<1, 1>>>(p));
  return failed;
}
#endif
// What gcc and cicc have two names for, each in a build of its own, as one reason is enough.
#if defined(STATIC_OF_C)
extern "C" { static __global__ void named_apart(int *p) { p[0] = 81; } }
static int apart() { int failed = 0; L(named_apart<<<1, 1>>>(device)); return failed; }
#elif defined(NAMESPACE_OF_C)
extern "C" /* of C */
namespace of_c { __global__ void named_apart(int *p) { p[0] = 82; } }
static int apart() { int failed = 0; L(of_c::named_apart<<<1, 1>>>(device)); return failed; }
#elif defined(TAGLESS)
using tagless = struct { int v; };
namespace of_tagless { typedef struct { char v; } typed; using aliased = struct { short v; }; }
__global__ void named_apart(int *p, tagless t) { p[0] = t.v; }
template <class T> __global__ void of_apart(int *p, T t) { p[0] = t.v + sizeof t; }
static int apart() {
  int failed = 0, *p = device;
  L(named_apart<<<1, 1>>>(p, {83}));
  L(of_apart<<<1, 1>>>(p, tagless{84}));
  L(of_apart<<<1, 1>>>(p, of_tagless::typed{85}));
  L(of_apart<<<1, 1>>>(p, of_tagless::aliased{86}));
  return failed;
}
#endif
static int otherwise() {
  int failed = 0, *p = device, k = 50;
  void *args[] = {&p};
  L(DO(cudaLaunchKernel(as_pointer(special<21>), 1, 1, args, 0, 0)));
  L(DO(cudaLaunchKernel((void *)internal, 1, 1, args, 0, 0)));
  void (*table[])(int *) = {special<31>, special<32>, unnamed_of<33>};
  for (auto f : table) L(f<<<1, 1>>>(p));
  for (int i = 0; i < 3; i++) L(special<41><<<1, 1>>>(p));
  cudaLaunchConfig_t config = {};
  config.gridDim = 1, config.blockDim = 1;
  L(DO(cudaLaunchKernelEx(&config, of_type<int>, p, k)));
  L(DO(cudaLaunchKernelEx(&config, with_default, p, k, 1, point{})));
  cudaFuncAttributes a;
  L(DO(cudaFuncGetAttributes(&a, special<51>)));
  L(DO(cudaFuncGetAttributes(&a, (const void *)scalars)));
  return failed;
}

// First launches within a capture, and of eight threads at once.
static int captured() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t made;
  DO(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  c_name<<<1, 1, 0, stream>>>(device, 70);
  DO(cudaStreamEndCapture(stream, &graph));
  DO(cudaGraphInstantiate(&made, graph, 0));
  DO(cudaGraphLaunch(made, stream));
  DO(cudaStreamSynchronize(stream));
  return show("captured", __LINE__);
}
static int threads() {
  std::vector<std::thread> all;
  int failed = 0, *own[8];
  for (int t = 0; t < 8; t++) DO(cudaMalloc(&own[t], sizeof **own));
  for (int t = 0; t < 8; t++)
    all.emplace_back([t, &own] {
      for (int i = 0; i < 50; i++) special<71><<<1, 1>>>(own[t]), bounded<32><<<1, 1>>>(by_operator{}, own[t]);
    });
  for (std::thread &t : all) t.join();
  for (int t = 0; t < 8; t++) {
    int v;
    DO(cudaMemcpy(&v, own[t], sizeof v, cudaMemcpyDeviceToHost));
    printf("thread %d: %d\n", t, v), failed += v != 96 + SCALE;
  }
  return failed;
}
// A launch that fails while the file BROKEN is there, and the next.
static int again() {
  int two[2];
  special<61><<<1, 1>>>(device);
  printf("first: %s\n", cudaGetErrorName(cudaGetLastError()));
  unlink(getenv("BROKEN"));
  special<61><<<1, 1>>>(device);
  cudaError_t e = cudaGetLastError();
  DO(cudaMemcpy(two, device, sizeof two, cudaMemcpyDeviceToHost));
  printf("then: %s %d %d\n", cudaGetErrorName(e), two[0], two[1]);
  return 0;
}

extern "C" int run(const char *what) {
  if (!device) DO(cudaMalloc(&device, N * sizeof *device));
  DO(cudaMemset(device, 0, N * sizeof *device));
  if (!strcmp(what, "where")) return where();
  if (!strcmp(what, "arguments")) return arguments();
  if (!strcmp(what, "templates")) return templates();
  if (!strcmp(what, "otherwise")) return otherwise();
  if (!strcmp(what, "captured")) return captured();
  if (!strcmp(what, "threads")) return threads();
  if (!strcmp(what, "again")) return again();
#if defined(STATIC_OF_C) || defined(NAMESPACE_OF_C) || defined(TAGLESS)
  if (!strcmp(what, "apart")) return apart();
#endif
#ifdef UNCERTAIN
  if (!strcmp(what, "uncertain")) return uncertain();
#endif
  return printf("%s: no such case\n", what), 1;
}
