#!/bin/bash
# Templates of kernels with constraints, of which a unit has several of one name: its host side is made without the front end of the device, and each launch
# is one of the kernel that nvcc's launch is of.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >c.cu <<'C'
#include <concepts>
#include <type_traits>
template <class T> concept whole = std::is_integral_v<T>;
template <class T> concept with_sign = whole<T> && std::is_signed_v<T>;
template <class T> requires std::is_integral_v<T> __global__ void two(T *p) { p[0] = 1; }
template <class T> requires std::is_floating_point_v<T> __global__ void two(T *p) { p[0] = 2; }
template <class T> requires whole<T> __global__ void three(T *p) { p[0] = 1; }
template <class T> requires with_sign<T> __global__ void three(T *p) { p[0] = 2; }
template <class T> __global__ void three(T *p) { p[0] = 3; }
template <class T>
  requires whole<T> && (sizeof(T) > 1)
__global__ void lines(T *p) { p[0] = 1; }
template <whole T> __global__ void named(T *p) { p[0] = 1; }
template <class T> requires requires(T t) { t + 1; t++; } __global__ void __launch_bounds__(32) expression(T *p) { p[0] = 1; }
template <class T> requires whole<T> || std::floating_point<T> static __global__ void either(T *p) { p[0] = 1; }
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0> __global__ void enabled(T *p) { p[0] = 1; }
template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0> __global__ void enabled(T *p) { p[0] = 2; }
extern "C" int run() {
  int i = 0; unsigned u; float f;
  two<<<1, 1>>>(&i); two<<<1, 1>>>(&f); three<<<1, 1>>>(&u); three<<<1, 1>>>(&i); three<<<1, 1>>>(&f); lines<<<1, 1>>>(&i); named<<<1, 1>>>(&i);
  expression<<<1, 1>>>(&u); either<<<1, 1>>>(&i); enabled<<<1, 1>>>(&i); enabled<<<1, 1>>>(&f);
  return cudaGetLastError();
}
C
loading_main
"$cuda/bin/nvcc" -std=c++20 -O2 -Xcompiler -fPIC -arch=sm_90 -c c.cu -o stock.o 2>err || fail "stock: $(cat err)"
g++ -shared -o lib.so stock.o -Lcudart -lcudart
run ./main >out 2>err || fail "stock: $(cat out err)"
sed -n 's/^launch \([^ ]*\).*/\1/p' log >wanted
is 'launches of nvcc' 11 "$(wc -l <wanted)"
for o in -O2 -O0; do
  as_build nvcc -std=c++20 "$o" -Xcompiler -fPIC -arch=sm_90 -c c.cu -o c.o || fail "$o: $(cat err)"
  tail -n 1 home/work/manifest.json.ndjson >line
  grep -q '"kind":"unit"' line || fail "$o: no lazy unit: $(cat line)"
  lacks "$o: cicc" '"stub"' line
  as_build c++ -shared -o lib.so c.o -Lcudart -lcudart || fail "$o, link: $(cat err)"
  run ./main >out 2>err || fail "$o: $(cat out err)"
  is "$o: result" 0 "$(cat out)"
  sed -n 's/^launch \([^ ]*\).*/\1/p' log | diff wanted - || fail "$o: launches of other kernels"
done

# a constraint behind the parameters is one that nvcc 13 does not compile, if anything is launched
cat >behind.cu <<'C'
template <class T> __global__ void k(T *p) requires (sizeof(T) > 1) { p[0] = 1; }
void f(int *p) { k<<<1, 1>>>(p); }
C
"$cuda/bin/nvcc" -std=c++20 -arch=sm_90 -c behind.cu -o stock.o 2>/dev/null && stock=0 || stock=$?
as_build nvcc -std=c++20 -arch=sm_90 -c behind.cu -o own.o && own=0 || own=$?
is 'a constraint behind the parameters' "$stock" "$own"
