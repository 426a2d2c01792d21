#!/bin/sh
# AArch64: functions of SME as a compiler writes them (clang 19: __arm_streaming, __arm_inout("za"), __arm_streaming_compatible, __arm_new("za")) are lazy blobs:
# first calls in streaming mode, with ZA shared or dormant, give what direct ones do, and so do exceptions. By qemu-user.
# tier: long
# seconds: 30
. "${0%/*}/common.sh"
need clang++-19 aarch64-linux-gnu-g++ qemu-aarch64
. "$here/unit/aarch64_home_fixture.sh"
sed -i 's/clang++ /clang++-19 /' rocm/bin/hipcc
cat >api.hpp <<'END'
#pragma once
#include <arm_sme.h>
#include <arm_sve.h>
template <int N> svfloat64_t vectors(svfloat64_t a, svfloat64_t b, svbool_t p, svfloat64x4_t four, double x) __arm_streaming;
template <int N> double scalar(double a, int b, double c) __arm_streaming;
template <int N> void outer(svfloat32_t a, svfloat32_t b) __arm_streaming __arm_inout("za");
template <int N> unsigned long mode(int x) __arm_streaming_compatible;
template <int N> svuint64_t either(svuint64_t x) __arm_streaming_compatible;
template <int N> float owns(float x) __arm_streaming_compatible;
template <int N> int plain(int x);
template <int N> double fails(double x, svfloat64_t y) __arm_streaming;
template <int N> void fails_with_za(int x) __arm_streaming __arm_inout("za");
END
cat >vectors.cpp <<'END'
#include "api.hpp"
template <> svfloat64_t vectors<1>(svfloat64_t a, svfloat64_t b, svbool_t p, svfloat64x4_t four, double x) __arm_streaming {
  svfloat64_t r = svadd_m(p, svmul_x(svptrue_b64(), a, 2.0), b);
  return svmla_x(svptrue_b64(), r, svget4(four, 0), svadd_x(svptrue_b64(), svget4(four, 3), x));
}
template <> double scalar<1>(double a, int b, double c) __arm_streaming { return a * b - c; }
END
cat >outer.cpp <<'END'
#include "api.hpp"
template <> void outer<1>(svfloat32_t a, svfloat32_t b) __arm_streaming __arm_inout("za") { svmopa_za32_m(0, svptrue_b32(), svptrue_b32(), a, b); }
END
cat >mode.cpp <<'END'
#include "api.hpp"
template <> unsigned long mode<1>(int x) __arm_streaming_compatible { return (__arm_in_streaming_mode() ? 100 : 0) + x; }
template <> svuint64_t either<1>(svuint64_t x) __arm_streaming_compatible { return svadd_x(svptrue_b64(), x, svcntd()); }
template <> int plain<1>(int x) { return x + 7; }
END
cat >owns.cpp <<'END'
#include "api.hpp"
template <> __arm_locally_streaming __arm_new("za") float owns<1>(float x) __arm_streaming_compatible {
  svzero_za();
  svmopa_za32_m(0, svptrue_b32(), svptrue_b32(), svdup_f32(x), svdup_f32(2));
  return svaddv(svptrue_b32(), svread_hor_za32_m(svdup_f32(0), svptrue_b32(), 0, 1)) / svcntw();
}
END
for f in fails fails_with_za; do
  printf '#include "api.hpp"\n' >$f.cpp
done
echo 'template <> double fails<1>(double x, svfloat64_t y) __arm_streaming { return x; }' >>fails.cpp
echo 'template <> void fails_with_za<1>(int x) __arm_streaming __arm_inout("za") {}' >>fails_with_za.cpp
cat >host.cpp <<'END'
#include "api.hpp"
#include <cstdio>
#include <cstring>
#include <stdexcept>
static double seen[8][256];
static unsigned long numbers[16];
__arm_locally_streaming static void by_vectors() {
  svbool_t all = svptrue_b64(), p = svwhilelt_b64(0, 3);
  svfloat64_t i = svdup_f64(0);
  for (int n = 0; n < (int)svcntd(); n++) i = svadd_m(svwhilelt_b64(0, n), i, 1.0);
  svst1(all, seen[0], vectors<1>(i, svdup_f64(100), p, svcreate4(i, i, i, i), 0.5));
  seen[1][0] = scalar<1>(3, 4, 5);
  numbers[0] = mode<1>(1);
  svuint64_t x = either<1>(svdup_u64(1000));
  numbers[1] = svaddv(all, x) / svcntd();
  numbers[2] = svcntd();
  numbers[3] = plain<1>(1); // out of the mode and back
}
// ZA is shared with outer(), and put aside by whoever needs it of the others
__arm_locally_streaming __arm_new("za") static void by_za() {
  svzero_za();
  outer<1>(svdup_f32(2), svdup_f32(3));
  outer<1>(svdup_f32(2), svdup_f32(3));
  numbers[4] = mode<1>(2);
  numbers[5] = (unsigned long)owns<1>(5);
  numbers[6] = plain<1>(2);
  outer<1>(svdup_f32(1), svdup_f32(1));
  svfloat32_t row = svread_hor_za32_m(svdup_f32(0), svptrue_b32(), 0, svcntw() - 1);
  numbers[7] = (unsigned long)svaddv(svptrue_b32(), row) / svcntw();
}
__attribute__((noinline)) static double caught(double a, double b) __arm_streaming {
  try {
    return fails<1>(a, svdup_f64(b));
  } catch (const std::runtime_error &) {
    return a * 10 + b;
  }
}
// Its frame is as long as its vectors are. It has a pointer to it: GCC's unwinder (libgcc 12) takes the length from the processor and not, as
// it should, from the frame that has changed the mode, so that without the pointer a build without ckjit ends here as well.
__attribute__((noinline)) static double long_frame(double a, svfloat64_t v) __arm_streaming { return fails<1>(a, v) + svaddv(svptrue_b64(), v); }
__arm_locally_streaming __attribute__((noinline)) static double enters(double a, double b) { return long_frame(a, svdup_f64(b)); }
__arm_locally_streaming __attribute__((noinline)) static double handler_in_mode(double a, double b) { return caught(a, b); }
__arm_locally_streaming __arm_new("za") __attribute__((noinline)) static int with_za(int x) {
  svzero_za();
  fails_with_za<1>(x);
  return x;
}
static unsigned long svcr() {
  unsigned long x;
  __asm__ volatile("mrs %0, s3_3_c4_c2_2" : "=r"(x));
  return x;
}
extern "C" int call() {
  for (int round = 0; round < 2; round++) {
    memset(seen, 0, sizeof seen), memset(numbers, 0, sizeof numbers);
    by_vectors();
    by_za();
    numbers[8] = mode<1>(3);
    numbers[9] = plain<1>(3);
    printf("%lu %lu", numbers[8], numbers[9]);
    int n = (int)numbers[2];
    for (int i = 0; i < n; i++)
      if (double d = i, want = 2 * (n - 1 - d) + (i < 3 ? 100 : 0) + (n - 1 - d) * (n - 1 - d + 0.5); seen[0][i] != want) printf(" lane %d is %g, not %g", i, seen[0][i], want);
    printf(" %g %lu %lu; %lu %lu %lu %lu;", seen[1][0], numbers[0], numbers[1] - 1000 == numbers[2] ? 0 : numbers[1], numbers[3], numbers[4], numbers[5], numbers[6]);
    printf(" %lu;", numbers[7]);
    double x = 7, y = 9;
    __asm__ volatile("" : "+w"(x), "+w"(y));
    printf(" %g", handler_in_mode(x, y));
    try {
      printf(" %g", enters(x, y));
    } catch (const std::runtime_error &) {
      printf(" left %g %lu", x + y, svcr());
    }
    try {
      printf(" %d", with_za(1));
    } catch (const std::runtime_error &) {
      printf(" left %g %lu", x + y, svcr());
    }
    puts("");
  }
  return 0;
}
END
# what compiler-rt of that clang has: ZA of who has it dormant goes where TPIDR2_EL0 says, and comes back
cat >support.s <<'END'
.arch armv9-a+sme
.globl __arm_tpidr2_save, __arm_tpidr2_restore, __arm_sme_state
__arm_tpidr2_save:
  mrs x14, s3_3_c13_c0_5
  ldr x15, [x14]
  ldrh w14, [x14, #8]
  rdsvl x13, #1
  mov w12, #0
1: cmp w12, w14
  b.hs 2f
  str za[w12, 0], [x15]
  add x15, x15, x13
  add w12, w12, #1
  b 1b
2: ret
__arm_tpidr2_restore:
  ldr x15, [x0]
  ldrh w14, [x0, #8]
  rdsvl x13, #1
  mov w12, #0
1: cmp w12, w14
  b.hs 2f
  ldr za[w12, 0], [x15]
  add x15, x15, x13
  add w12, w12, #1
  b 1b
2: ret
__arm_sme_state:
  mrs x0, s3_3_c4_c2_2
  and x0, x0, #3
  orr x0, x0, #0xc000000000000000
  mrs x1, s3_3_c13_c0_5
  ret
END
printf 'extern "C" int call();\nint main() { return call(); }\n' >main.cpp
options='-O2 -march=armv9-a+sme -fPIC'
clang++-19 --target=aarch64-linux-gnu -c support.s -o support.o
for f in vectors outer mode owns fails fails_with_za host; do
  # shellcheck disable=SC2086
  as_build hipcc $options -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
done
as_build hipcc -shared -o libk.so vectors.o outer.o mode.o owns.o fails.o fails_with_za.o host.o support.o || fail "link: $(cat err)"
has 'what is lazy' '6 blobs are lazy (9 functions' err
# By the ELF for the Arm 64-bit Architecture all of them but plain() say that they are called otherwise than usual. clang 19 itself says so of vectors only.
readelf --dyn-syms -W libk.so >symbols
for f in vectors scalar outer mode either owns fails fails_with_za; do
  grep "_Z[0-9]*${f}ILi1E" symbols | grep -q VARIANT_PCS || fail "the dynamic linker may leave the mode of $f: $(grep "_Z[0-9]*$f" symbols)"
done
grep '_Z5plain' symbols >of_plain
lacks 'a function of ordinary arguments' VARIANT_PCS of_plain
echo '#error it is broken' | tee -a fails.cpp >>fails_with_za.cpp
aarch64-linux-gnu-g++ main.cpp -o main -L. -lk -Wl,-z,lazy -Wl,-rpath,"$T"
root=/usr/aarch64-linux-gnu/lib
# on PROCESSOR WANTED
on() {
  rm -rf cache
  qemu-aarch64 -cpu "$1" $root/ld-linux-aarch64.so.1 --library-path $root:. ./main >got 2>errors || fail "on $1: $(cat got errors)"
  is "on $1" "$2
$2" "$(cat got)"
}
for lengths in sve-default-vector-length=16,sme-default-vector-length=16 sve-default-vector-length=32,sme-default-vector-length=64 \
  sve-default-vector-length=64,sme-default-vector-length=32 sve-default-vector-length=-1,sme-default-vector-length=-1; do
  on max,$lengths '3 10 7 101 0; 8 102 10 9; 13; 79 left 16 0 left 16 0'
done
