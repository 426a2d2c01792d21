#!/bin/sh
# AArch64: a function whose arguments are in vectors of SVE, or that keeps vectors for its caller, says so to the dynamic linker, whose lazy binding
# would write to them: its stub has STO_AARCH64_VARIANT_PCS as the compiler's own symbol has it, the library DT_AARCH64_VARIANT_PCS, and calls through
# a lazy PLT get what direct ones get. A function of ordinary arguments says nothing of the kind.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
need clang++ aarch64-linux-gnu-g++ qemu-aarch64 readelf
. "$here/unit/aarch64_home_fixture.sh"
cat >api.hpp <<'END'
#pragma once
#include <arm_neon.h>
#include <arm_sve.h>
template <int N> svfloat64_t lanes(svbool_t p, svfloat64_t a, svfloat64_t b, svbool_t q);
template <int N> __attribute__((aarch64_vector_pcs)) float64x2_t pairs(float64x2_t a, float64x2_t b);
template <int N> int plain(int x);
END
cat >lanes.cpp <<'END'
#include "api.hpp"
template <> svfloat64_t lanes<3>(svbool_t p, svfloat64_t a, svfloat64_t b, svbool_t q) { return svadd_m(q, svadd_m(p, a, b), b); }
END
cat >pairs.cpp <<'END'
#include "api.hpp"
template <> __attribute__((aarch64_vector_pcs)) float64x2_t pairs<3>(float64x2_t a, float64x2_t b) { return a + 3 * b; }
END
printf '#include "api.hpp"\ntemplate <> int plain<3>(int x) { return x * 3; }\n' >plain.cpp
cat >host.cpp <<'END'
#include "api.hpp"
#include <cstdio>
extern "C" int call() {
  for (int i = 0; i < 2; i++) {
    svbool_t all = svptrue_b64(), p = svwhilelt_b64(0, 1), q = svnot_z(all, p);
    svfloat64_t x = lanes<3>(p, svcvt_f64_x(all, svindex_s64(0, 1)), svdup_f64(10), q);
    double got[32];
    svst1(all, got, x);
    float64x2_t y = pairs<3>(float64x2_t{1, 2}, float64x2_t{3, 4});
    printf("%d of %d:", plain<3>(7), (int)svcntd());
    for (int n = 0; n < (int)svcntd(); n++) printf(" %g", got[n]);
    printf(" and %g %g\n", y[0], y[1]);
  }
  return 0;
}
END
printf 'extern "C" int call();\nint main() { return call(); }\n' >main.cpp
for f in lanes pairs plain host; do
  as_build hipcc -O1 -march=armv8-a+sve -fPIC -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
done
as_build hipcc -shared -Wl,-z,lazy -o libk.so lanes.o pairs.o plain.o host.o || fail "link: $(cat err)"
has 'what is lazy' '3 blobs are lazy' err
readelf --dyn-syms -W libk.so >symbols
for f in lanes pairs; do
  grep "_Z5$f" symbols | grep -q 'VARIANT_PCS' || fail "the dynamic linker may write to the vectors of $f: $(grep "_Z5$f" symbols)"
done
grep '_Z5plain' symbols >of_plain
lacks 'a function of ordinary arguments' VARIANT_PCS of_plain
readelf -dW libk.so | grep -q AARCH64_VARIANT_PCS || fail "the library does not say that it has such functions: $(readelf -dW libk.so)"
aarch64-linux-gnu-g++ main.cpp -o main -L. -lk -Wl,-z,lazy -Wl,-rpath,"$T"
root=/usr/aarch64-linux-gnu/lib
for length in 16 32 64; do
  QEMU_CPU=max,sve-default-vector-length=$length qemu-aarch64 $root/ld-linux-aarch64.so.1 --library-path $root:. ./main >got 2>errors || fail "SVE of $length bytes: $(cat errors)"
  lanes=$((length / 8)) want="21 of $lanes: 10" n=1
  while [ $n -lt $lanes ]; do
    want="$want $((n + 10))"
    n=$((n + 1))
  done
  is "SVE of $length bytes" "$want and 10 14
$want and 10 14" "$(cat got)"
done
exit 0
