#!/bin/sh
# Blobs that are known by what they include: a unit of two other sources, as in flash-attention 3; one whose functions come out of a
# macro of a header, as in aiter's MoE; one whose function stands in a header of its name, as in aiter's batched GEMM. Each is lazy, is
# called, is in the cache for the next process, and is not compiled any more if a file that it is made of has changed.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
mkdir instances impl include
export CK_JIT_BASE="$T" # what is below it belongs to the library
cat >include/parts.hpp <<'END'
#pragma once
#include "api.hpp"
template <int N> int run(int x);
template <class A, class B, int N> long gemm(const A& a, B b) { return a.n * N + b; }
#define GEMM(SIZE, TYPE) template long gemm<A, TYPE, \
    SIZE + EXTRA>(const A& a, TYPE b);
int batched_16(const args& x, int n = 1);
namespace deep { std::string batched_32(int n); }
END
# what stands beside impl/ is not what stands beside instances/
echo 'enum { FACTOR = 7 };' >impl/factor.hpp
for n in 1 2; do
  printf '#include "parts.hpp"\n#if defined(__x86_64__)\nusing type = int;\ntemplate<> int run<%d>(type x) { return x * 10 + %d; }\n#endif\n' $n $n
  [ $n = 1 ] || echo 'static_assert(sizeof(type) == 4, "");'
done >both
sed -n 1,5p both >run_1.cpp
{ echo '#pragma once' && sed -n '6,$p' both; } | sed 's/type/other/g' >run_2.cpp
printf '#include "run_1.cpp"\n#include "run_2.cpp"' >instances/run_all.cpp
mv run_1.cpp run_2.cpp instances
printf '#include "parts.hpp"\nusing A = args;\nconst int EXTRA = static_cast<int>(2L);\nGEMM(1, int)\nGEMM(2, long)\n' >instances/gemm_3.cpp
sed 's/2L/4L/' instances/gemm_3.cpp >instances/gemm_5.cpp
cat >impl/batched_16.cuh <<'END'
#include "parts.hpp"
#include "factor.hpp"
int batched_16(
    const args& x, int n)
{
  return x.n * FACTOR + n;
}
END
printf '#include "impl/batched_16.cuh"\nint batched_16(const args& x, int n);\n' >instances/batched_16.cpp
printf '#include "parts.hpp"\nnamespace deep { std::string batched_32(int n) { return "thirty-two " + std::to_string(n); } }\n' >impl/batched_32.cuh
echo '#include "impl/batched_32.cuh"' >instances/batched_32.cpp
cat >host.cpp <<'END'
#include "parts.hpp"
#include <cstdio>
extern template long gemm<args, int, 3>(const args&, int);
extern template long gemm<args, long, 4>(const args&, long);
extern template long gemm<args, int, 5>(const args&, int);
int call(int, char* text) {
  args x{{}, 100};
  return sprintf(text, "%d %d %ld %ld %ld %d %s", run<1>(3), run<2>(4), gemm<args, int, 3>(x, 1), gemm<args, long, 4>(x, 2),
                 gemm<args, int, 5>(x, 3), batched_16(x), deep::batched_32(9).c_str());
}
END
for name in instances/run_all instances/gemm_3 instances/gemm_5 instances/batched_16 instances/batched_32 host; do
  as_build hipcc -x c++ -fPIC -fvisibility=hidden -I. -Iinclude -c $name.cpp -o "${name#*/}.o" || fail "$name.cpp: $(cat err)"
done
link libparts.so run_all.o gemm_3.o gemm_5.o batched_16.o batched_32.o host.o
says '5 blobs are lazy'
says ' 0 compiled ahead of time'
want='31 42 301 402 503 701 thirty-two 9'
calls libparts.so 0 >got || fail "it cannot be called"
[ "$(cut -d' ' -f2- got)" = "$want" ] || fail "got $(cat got)"
[ "$(find cache -name '*.so' | wc -l)" = 5 ] || fail "the cache has $(ls cache)"
CK_JIT_HIPCC=/bin/false calls libparts.so 0 >second || fail "the second process compiles"
cmp -s got second || fail "the second process got $(cat second)"

# A part that changed is no longer what the key was made from; a new link has another key.
rm -rf cache
sed -i 's/x \* 10 + 2/x * 10 + 5/' instances/run_2.cpp
calls libparts.so 0 >got 2>&1 && fail "a changed part was compiled under the old key: $(cat got)"
grep -q 'instances/run_2.cpp' got || fail "not named: $(cat got)"
as_build hipcc -x c++ -fPIC -fvisibility=hidden -I. -Iinclude -c instances/run_all.cpp -o run_all.o || fail "$(cat err)"
link libparts.so run_all.o gemm_3.o gemm_5.o batched_16.o batched_32.o host.o
calls libparts.so 0 >got || fail "it cannot be called after the second link"
[ "$(cut -d' ' -f2- got)" = "31 45 ${want#31 42 }" ] || fail "got $(cat got)"
