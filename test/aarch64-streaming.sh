#!/bin/sh
# AArch64: a first call in streaming mode of SME whose kernel cannot be compiled throws. The handler has what its function had in d8 to d15, which
# leaving the mode clears; and who unwinds is told how long its vectors are. By qemu-user.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
CROSS=aarch64
. "${0%/*}/unit/runtime_fixture.sh"
dir=$T/lib key=1 flags="-O1"
mkdir -p "$dir/ck_jit/src"
echo '#error it is broken' >"$dir/ck_jit/src/broken.cu"
echo '{root}/src/broken.cu _Z6brokeni' >"$dir/symbols"
cp "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile"
# catches() is what clang 19 makes of a function with __arm_streaming: it is called in the mode, keeps numbers in registers across a call, and expects the
# handler to be out of it, as the AAPCS64 says.
cat >"$T/main.cpp" <<'END'
#include <cstdio>
#include <stdexcept>
int broken(int x);
static unsigned long mode() {
  unsigned long svcr;
  __asm__ volatile("mrs %0, s3_3_c4_c2_2" : "=r"(svcr));
  return svcr;
}
static unsigned long before, behind;
#define KEPT(n, x) __asm__ volatile("fmov d" #n ", %d0" : : "w"(x) : "d" #n)
#define HAD(n, x) __asm__ volatile("fmov %d0, d" #n : "=w"(x))
extern "C" double catches(double a, double b, double c, double d, double e, double f, double g, double h) {
  before = mode();
  KEPT(8, a); KEPT(9, b); KEPT(10, c); KEPT(11, d); KEPT(12, e); KEPT(13, f); KEPT(14, g); KEPT(15, h);
  try {
    return broken(1);
  } catch (const std::runtime_error &) {
    HAD(8, a); HAD(9, b); HAD(10, c); HAD(11, d); HAD(12, e); HAD(13, f); HAD(14, g); HAD(15, h);
    behind = mode();
    return a + 10 * b + 100 * c + 1e3 * d + 1e4 * e + 1e5 * f + 1e6 * g + 1e7 * h;
  }
}
// as the compiler of such a function's caller does it: what the mode clears is put aside, and it is entered
extern "C" double in_streaming();
__asm__("in_streaming:\n stp x29, x30, [sp, #-80]!\n stp d8, d9, [sp, #16]\n stp d10, d11, [sp, #32]\n stp d12, d13, [sp, #48]\n stp d14, d15, [sp, #64]\n"
        " .inst 0xd503437f\n fmov d0, #1.0\n fmov d1, #2.0\n fmov d2, #3.0\n fmov d3, #4.0\n fmov d4, #5.0\n fmov d5, #6.0\n fmov d6, #7.0\n fmov d7, #8.0\n bl catches\n"
        " fmov x0, d0\n .inst 0xd503427f\n fmov d0, x0\n ldp d8, d9, [sp, #16]\n ldp d10, d11, [sp, #32]\n ldp d12, d13, [sp, #48]\n ldp d14, d15, [sp, #64]\n ldp x29, x30, [sp], #80\n ret\n");
int main() {
  double x = in_streaming();
  printf("%.0f, mode %lu and %lu\n", x, before & 1, behind & 1);
}
END
"${cross}g++" -O2 -w -c -o "$T/main.o" "$T/main.cpp"
link_library
"${cross}g++" "$T/main.o" -o "$dir/main" -L"$dir" -lkernels -Wl,-z,now -Wl,-rpath,"$dir"
emulated "$dir/main"
is "what the handler has" "87654321, mode 1 and 0" "$(QEMU_OPTIONS="-cpu max" "$dir/main" 2>"$T/err" || cat "$T/err")"
# GCC 12's unwinder takes the length of vectors from the processor, so it is asked here whether the frame tells it
aarch64-linux-gnu-objdump --dwarf=frames "$dir/libkernels.so" >"$T/frames"
has 'the frame of ckjit_trampoline' 'DW_CFA_offset: r46 (vg) at cfa-16' "$T/frames"
