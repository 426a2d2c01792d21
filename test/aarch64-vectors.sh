#!/bin/sh
# AArch64: what the vector calling conventions pass or keep in registers goes through a first call: z0 to z7 and p0 to p3 of SVE, at several
# lengths, on processors with SVE and without; ZA, and streaming mode, of SME. By qemu-user.
# tier: all
# seconds: 4
. "${0%/*}/common.sh"
CROSS=aarch64
. "${0%/*}/unit/runtime_fixture.sh"
dir=$T/lib key=1 flags="-O1 -I$T"
mkdir -p "$dir/ck_jit/src"
cat >"$T/vectors.h" <<'END'
#pragma once
#include <arm_neon.h>
__attribute__((aarch64_vector_pcs)) float64x2_t pairs(float64x2_t a, float64x2_t b, float64x2_t c, float64x2_t d, float64x2_t e, float64x2_t f, float64x2_t g, float64x2_t h);
int plain(int x);
int streams(int x);
END
cat >"$T/lanes.h" <<'END'
#pragma GCC target("+sve")
#include <arm_sve.h>
svfloat64_t lanes(svbool_t p, svfloat64_t a, svfloat64_t b, svfloat64_t c, svfloat64_t d, svfloat64_t e, svfloat64_t f, svfloat64_t g, svfloat64_t h, svbool_t q, svbool_t r, svbool_t s);
END
cat >"$dir/ck_jit/src/pairs.cu" <<'END'
#include "vectors.h"
float64x2_t pairs(float64x2_t a, float64x2_t b, float64x2_t c, float64x2_t d, float64x2_t e, float64x2_t f, float64x2_t g, float64x2_t h) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h; }
END
cat >"$dir/ck_jit/src/lanes.cu" <<'END'
#include "lanes.h"
svfloat64_t lanes(svbool_t p, svfloat64_t a, svfloat64_t b, svfloat64_t c, svfloat64_t d, svfloat64_t e, svfloat64_t f, svfloat64_t g, svfloat64_t h, svbool_t q, svbool_t r, svbool_t s) {
  svfloat64_t x = svadd_m(p, a, b);
  x = svadd_m(q, x, svmul_x(q, c, d));
  x = svadd_m(r, x, svmul_x(r, e, f));
  return svadd_m(s, x, svmul_x(s, g, h));
}
END
echo 'int plain(int x) { return x + 1; }' >"$dir/ck_jit/src/plain.cu"
echo 'int streams(int x) { return x + 2; }' >"$dir/ck_jit/src/streams.cu"
cat >"$T/lanes.cpp" <<'END'
#include "lanes.h"
#include <cstdio>
int by_lanes(int round) {
  svbool_t all = svptrue_b64(), p = svwhilelt_b64(0, 1), q = svwhilelt_b64(0, 2), r = svwhilelt_b64(0, 3), s = svnot_z(all, p);
  svfloat64_t i = svcvt_f64_x(all, svindex_s64(0, 1)), kept = svmul_x(all, i, 3.0);
  svfloat64_t x = lanes(p, i, svdup_f64(1), svdup_f64(2), i, svdup_f64(3), i, svdup_f64(4), i, q, r, s);
  double got[32], still[32];
  svst1(all, got, x);
  svst1(all, still, kept);
  for (int n = 0; n < (int)svcntd(); n++) {
    double want = n + (n < 1) + (n < 2 ? 2 * n : 0) + (n < 3 ? 3 * n : 0) + (n >= 1 ? 4 * n : 0);
    if (got[n] != want || still[n] != 3 * n) return printf("lane %d of %d, call %d: %g, not %g; kept %g\n", n, (int)svcntd(), round, got[n], want, still[n]), 1;
  }
  return 0;
}
END
cat >"$T/main.cpp" <<'END'
#include "vectors.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
int by_lanes(int round);
#define CHECK(c) if (!(c)) return printf("%s\n", #c), 1
static int by_pairs() {
  float64x2_t k[16];
  for (int i = 0; i < 16; i++) k[i] = float64x2_t{(double)i, i + 0.5};
  float64x2_t x = pairs(k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7]);
  CHECK(x[0] == 2 + 6 + 12 + 20 + 30 + 42 + 56 && x[1] == x[0] + 18);
  return 0;
}
// a function that shares ZA with its caller
static int by_za() {
  static unsigned char in[65536], out[65536];
  register unsigned long rows __asm__("x0");
  __asm__ volatile(".inst 0x04bf5820" : "=r"(rows)); // rdsvl x0, #1
  unsigned long n = rows;
  for (unsigned long i = 0; i < n * n; i++) in[i] = (unsigned char)(i * 7 + i / n);
  register unsigned char *from __asm__("x2") = in;
  __asm__ volatile(".inst 0xd503457f\n mov w12, #0\n 1: .inst 0xe1000040\n add x2, x2, %1\n add w12, w12, #1\n cmp w12, %w1\n b.lo 1b" : "+r"(from) : "r"(n) : "x12", "cc", "memory");
  int x = plain(41);
  from = out;
  __asm__ volatile("mov w12, #0\n 1: .inst 0xe1200040\n add x2, x2, %1\n add w12, w12, #1\n cmp w12, %w1\n b.lo 1b\n .inst 0xd503447f" : "+r"(from) : "r"(n) : "x12", "cc", "memory");
  CHECK(x == 42 && memcmp(in, out, n * n) == 0);
  return 0;
}
// a function that is called in streaming mode
static int by_streaming() {
  static unsigned char in[256], out[256];
  for (int i = 0; i < 256; i++) in[i] = (unsigned char)(i + 1);
  unsigned long svcr;
  register unsigned long rows __asm__("x0");
  __asm__ volatile(".inst 0x04bf5820" : "=r"(rows));
  unsigned long n = rows;
  register unsigned char *from __asm__("x21") = in, *to __asm__("x22") = out;
  register int x __asm__("w0") = 40;
  __asm__ volatile(".inst 0xd503437f\n .inst 0x858042a0\n .inst 0x858042a7\n bl _Z7streamsi\n mrs %1, s3_3_c4_c2_2\n .inst 0xe58042c7\n .inst 0xd503427f" // z0, z7
                   : "+r"(x), "=&r"(svcr) : "r"(from), "r"(to) : "memory", "cc", "x30", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
                   "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
  CHECK(x == 42 && (svcr & 1) && memcmp(in, out, n) == 0);
  return 0;
}
int main(int argc, char **argv) {
  for (int round = 1; round <= 2; round++) {
    if (by_pairs()) return 1;
    if (argc > 1 && by_lanes(round)) return 1;
    if (argc > 2 && (by_za() || by_streaming())) return 1;
  }
  puts("ok");
}
END
"${cross}g++" -O1 -w -I"$T" -c -o "$T/lanes.o" "$T/lanes.cpp"
"${cross}g++" -O1 -w -I"$T" -c -o "$T/main.o" "$T/main.cpp"
nm -u "$T/main.o" "$T/lanes.o" | sed -n 's/.* U \(_Z[0-9]*\(pairs\|lanes\|plain\|streams\).*\)/{root}\/src\/\2.cu \1/p' >"$dir/symbols"
is functions 4 "$(wc -l <"$dir/symbols")"
cp "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile"
link_library
"${cross}g++" "$T/main.o" "$T/lanes.o" -o "$dir/main" -L"$dir" -lkernels -Wl,-z,now -Wl,-rpath,"$dir"
emulated "$dir/main"
# on PROCESSOR WORD…
on() {
  rm -rf "$T/cache"
  processor=$1
  shift
  is "on $processor" ok "$(QEMU_OPTIONS="-cpu $processor" "$dir/main" "$@")"
}
on cortex-a72
on max,sve128=on,sve256=off,sve512=off,sve1024=off,sve2048=off sve
on max,sve-default-vector-length=-1,sme-default-vector-length=-1 sve sme
on max,sve-default-vector-length=32,sme-default-vector-length=64 sve sme
