#!/bin/sh
# A blob that needs a function, a variable, an operator or a type_info of the library's own objects stays lazy: it gets them from the library
# when it is loaded, in the first process and in one that may not compile. A kernel of a sibling, which the library registers, and a
# thread-local variable are not to be had like that: such blobs are compiled ahead of time, with the symbol as the reason.
# tier: all
# seconds: 42
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && kernel 3 && host 1 2 3
echo 'int log_launch(int);' >>api.hpp
echo 'int log_launch(int n) { return n; } int count() { return 1; }' >>host.cpp
sed -i 's/return x.n \* 2/return log_launch(x.n) * 2/' k2.cpp
# of the same name as a function of host.cpp, but its own
sed -i -e '1a namespace { int count() { return 3; } }' -e 's/return x.n \* 3/return x.n * count()/' k3.cpp
objects k1 k2 k3 host
link liba.so k1.o k2.o k3.o host.o
says '3 blobs are lazy (6 functions in 1 unit), 0 compiled ahead of time'
right liba.so 1 2 3
CK_JIT_ON_MISS=error right liba.so 1 2 3
link liba.so k1.o k2.o k3.o host.o
says '; 0 compiles, '

# Behind a name that ends in a digit, as v2 of _ZN2v26withinEi; and a function that says it is weak.
cp api.hpp api.kept && cp host.cpp host.kept && cp k1.cpp k1.kept && cp k2.cpp k2.kept
echo 'namespace v2 { int within(int); } int weakly(int);' >>api.hpp
echo 'namespace v2 { int within(int n) { return n; } } __attribute__((weak)) int weakly(int n) { return n; }' >>host.cpp
sed -i 's/return x.n \* 1/return v2::within(x.n) * 1/' k1.cpp
sed -i 's/log_launch/weakly/' k2.cpp
objects k1 k2 k3 host
link libd.so k1.o k2.o k3.o host.o
says '3 blobs are lazy (6 functions in 1 unit), 0 compiled ahead of time'
right libd.so 1 2 3
for name in api.hpp host.cpp k1.cpp k2.cpp; do mv "${name%.*}.kept" $name; done
objects k1 k2 k3 host

# As in aiter's opus_gemm: the kernels are instantiated in units of their own, and launched by host functions of others.
cat >opus.hpp <<'END_'
#include <hip/hip_runtime.h>
template <int N> __global__ void opus_kernel(int* out);
template <int N> int opus_launch(int* out) { opus_kernel<N><<<1, 1>>>(out); return N; }
template <int N> int opus(int* out);
END_
cat >device_4.hip <<'END_'
#include "opus.hpp"
template <int N> __global__ void opus_kernel(int* out) { *out = N; }
template __global__ void opus_kernel<4>(int*);
END_
cat >host_4.hip <<'END_'
#include "opus.hpp"
template <> int opus<4>(int* out) { return opus_launch<4>(out); }
END_
for name in device_4 host_4; do
  as_build hipcc -x hip --offload-arch=gfx90a -fPIC -fvisibility=hidden -I. -c $name.hip -o $name.o || fail "$name: $(cat err)"
done
link libb.so k1.o k3.o host.o device_4.o host_4.o k2.o
says '3 blobs are lazy (6 functions in 1 unit), 1 compiled ahead of time'
says "ahead of time: $T/host_4.hip: it needs _Z"
says 'opus_kernelILi4EEvPi of device_4.o'

# Needed without a name in front of a bracket: a variable, a constructor, an operator, a conversion, the type_info of a class whose first
# virtual function host.cpp has. Blob 8 names the classes and has what it needs of them.
for n in 1 2 3 4 5 6 7 8 9; do kernel $n; done
host 1 2 3 4 5 6 7 8 9
cat >>api.hpp <<'END_'
extern int level;
extern thread_local int depth;
struct made { int n; made(int); };
namespace ops { struct number { int n; }; int operator%(const number&, int); enum class unit { one }; template <int N> int operator-(unit, int); }
struct turned { int n; operator int() const; };
struct seen { virtual int get(); virtual ~seen() {} };
struct row { int n; int operator[](int i) const; };
END_
cat >>host.cpp <<'END_'
int level = 1;
thread_local int depth = 1;
made::made(int i) : n(i) {}
namespace ops { int operator%(const number& a, int b) { return a.n % b; } template <> int operator-<2>(unit, int b) { return b; } }
turned::operator int() const { return n; }
int seen::get() { return 1; }
int row::operator[](int i) const { return n + i; }
END_
# needs N TEXT SYMBOL: blob N returns what the TEXT does; it needs the SYMBOL
needs() {
  sed -i "s/return x.n \* $1/$2/" "k$1.cpp"
  echo "k$1.cpp: it needs $3 of libk.a(odd.o)" >>needed
}
needs 1 'return x.n * level * 1' level
needs 2 'made m{x.n}; return m.n * 2' _ZN4madeC1Ei
needs 3 'ops::number a{x.n}; return (a % 1003) * 3' _ZN3opsrmERKNS_6numberEi
needs 4 'return operator-<2>(ops::unit::one, x.n) * 4' _ZN3opsmiILi2EEEiNS_4unitEi
needs 5 'turned t{x.n}; return t * 5' _ZNK6turnedcviEv
needs 6 'return typeid(seen) == typeid(seen*) ? 0 : x.n * 6' _ZTI4seen
needs 7 'row u{x.n}; return u[0] * 7' _ZNK3rowixEi
needs 9 'return x.n * depth * 9' depth
sed -i 's/return x.n \* 8/ops::number a{x.n}; return static_cast<int>(sizeof(row*)) * a.n/' k8.cpp
sed -i '1a #include <typeinfo>' k6.cpp
objects k1 k2 k3 k4 k5 k6 k7 k8 k9 host
link libodd.so k1.o k2.o k3.o k4.o k5.o k6.o k7.o k8.o k9.o host.o
says "ahead of time: $T/k9.cpp: it needs depth of host.o, which it could not reach when it is loaded apart"
says '8 blobs are lazy (16 functions in 1 unit), 1 compiled ahead of time'
right libodd.so 1 2 3 4 5 6 7 8 9
CK_JIT_ON_MISS=error right libodd.so 1 2 3 4 5 6 7 8 9

# in an archive with what they need, of which the linker takes what something needs
sed -n '/^int level/,$p' host.cpp >odd.cpp
sed -i '/^int level/,$d' host.cpp
sed -i '1i #include "api.hpp"' odd.cpp
objects host odd
ar rc libk.a k1.o k2.o k3.o k4.o k5.o k6.o k7.o k8.o k9.o odd.o
link libpacked.so host.o libk.a
while read -r line; do says "$line"; done <needed
says '1 blob is lazy (2 functions in '
right libpacked.so 1 2 3 4 5 6 7 8 9
