#!/bin/sh
# A third machine by its file alone, abi/ck_jit_riscv64.h: on RISC-V of 64 bits the runtime is what it is here, and a library that clang builds for it has stubs
# of that machine, whose kernels are right and whose exceptions leave, by GNU's linker; vectors, if the processor has them, go through a first call. The
# trampolines before CUDA's and HIP's functions keep their arguments. By Debian's cross compilers and qemu-user.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
need clang++ riscv64-linux-gnu-g++ qemu-riscv64 readelf
for name in runtime-arguments runtime-signatures runtime-threads runtime-second-process; do
  status=0
  CROSS=riscv64 sh "$here/$name.sh" >"$T/said" 2>&1 || status=$?
  [ $status = 0 ] || fail "$name on RISC-V, status $status: $(tail -n 20 "$T/said")"
done

# the trampolines of ck_jit_registry.h and of ck_jit_hip_side.c, by themselves
cat >"$T/wrap.c" <<'END'
#define CKJIT_TEXT_(x) #x
#define CKJIT_TEXT(x) CKJIT_TEXT_(x)
#define CKJIT_KNOWN 64
#define CKJIT_KNOWN_SHIFT 4
#define CKJIT_WANTS_SIDE
#include "ck_jit_riscv64.h"
#include <stdio.h>
#include <string.h>
__attribute__((visibility("hidden"), used)) const void *ckjit_known[CKJIT_KNOWN];
__attribute__((visibility("hidden"), used)) int ckjit_side_ready;
static const void *needed;
static int times, sides;
static void clobber(void) {
  __asm__ volatile("li a1, -1\n li a2, -1\n li a7, -1\n li t1, -1\n li t3, -1\n fmv.d.x fa0, a1\n fmv.d.x fa7, a1" ::: "a1", "a2", "a7", "t1", "t3", "fa0", "fa7");
}
__attribute__((visibility("hidden"), used)) void need(const void *f) { needed = f, times++, clobber(); }
__attribute__((visibility("hidden"), used)) void ckjit_side_need(void) { sides++, clobber(); }
CKJIT_CALL_TRAMPOLINE("launch", 2, CKJIT_IS_KNOWN(2), "need")
CKJIT_SIDE_FIRST
CKJIT_NEEDS_CODE("side")
long __real_launch(long a, long b, const void *f, long d, long e, long g, long h, long i, long j) { return f == needed || !times ? a + 2 * b + 3 * d + 4 * e + 5 * g + 6 * h + 7 * i + 8 * j : -1; }
double __real_side(long a, double x, long b, double y, long c, double z, double p, double q, double r, double s, double t) { return a + 2 * b + 3 * c + x + 4 * y + 5 * z + 6 * p + 7 * q + 8 * r + 9 * s + 10 * t; }
long __wrap_launch(long a, long b, const void *f, long d, long e, long g, long h, long i, long j);
double __wrap_side(long a, double x, long b, double y, long c, double z, double p, double q, double r, double s, double t);
int main(void) {
  static char f[256];
  for (int round = 0; round < 3; round++) {
    if (__wrap_launch(1, 2, f + 64, 3, 4, 5, 6, 7, 8) != __real_launch(1, 2, f + 64, 3, 4, 5, 6, 7, 8)) return 1;
    if (times != (round < 2 ? round + 1 : 2)) return 2;
    if (round == 1) ckjit_known[((unsigned long)(f + 64) >> CKJIT_KNOWN_SHIFT) & (CKJIT_KNOWN - 1)] = f + 64;
    if (__wrap_side(1, 2., 3, 4., 5, 6., 7., 8., 9., 10., 11.) != __real_side(1, 2., 3, 4., 5, 6., 7., 8., 9., 10., 11.)) return 3;
    if (sides != (round < 2 ? round + 1 : 2)) return 4;
    if (round == 1) ckjit_side_ready = 1;
  }
  puts("ok");
}
END
riscv64-linux-gnu-gcc -O1 -fPIC -w -I"${here%/test}/abi" "$T/wrap.c" -o "$T/wrap"
is 'trampolines before functions' ok "$(qemu-riscv64 -L /usr/riscv64-linux-gnu "$T/wrap")"

# a fake home whose hipcc is clang for RISC-V
cd "$T"
mkdir -p rocm/bin
cat >rocm/bin/hipcc <<'END'
#!/bin/sh
for a; do
  shift
  case $a in --offload-*) continue ;; hip) a=c++ ;; esac
  set -- "$@" "$a"
done
exec clang++ --target=riscv64-linux-gnu -march=rv64gc "$@"
END
chmod +x rocm/bin/hipcc
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a
unset CK_JIT_HIPCC ROCM_PATH CXX
CXX=riscv64-linux-gnu-g++ "$B/bin/ckjit-build" home --rocm "$T/rocm" --dir "$T/home" >exports 2>home.log || fail "no fake home: $(cat home.log)"
as_build() (
  # shellcheck disable=SC1091
  . "$T/exports"
  "$@" 2>"$T/err"
)
is "machine of the home" machine=riscv64 "$(grep machine home/ckjit.conf)"
cat >api.hpp <<'END'
#pragma once
#include <string>
struct args { double a[40]; int n; };
template <int N> int fwd(const args& x, args y);
template <int N> std::string name(int x);
template <int N> void thrower(std::string x);
END
for n in 1 2 3; do
  printf '#include "api.hpp"\n#include <stdexcept>\ntemplate<> int fwd<%d>(const args& x, args y) { return x.n * %d + y.n; }\ntemplate<> std::string name<%d>(int x) { return "kernel, whose name is too long to be in place " + std::to_string(x); }\ntemplate<> void thrower<%d>(std::string x) { throw std::invalid_argument(x); }\n' \
    $n $n $n $n >k$n.cpp
done
cat >host.cpp <<'END'
#include "api.hpp"
#include <cstdio>
#include <stdexcept>
extern "C" __attribute__((visibility("default"))) int call() {
  args x{{}, 100}, y{{}, 1};
  for (int i = 0; i < 2; i++) printf("%d %d %d %s\n", fwd<1>(x, y), fwd<2>(x, y), fwd<3>(x, y), name<2>(7).c_str());
  for (int i = 0; i < 2; i++) try { thrower<3>("thrown"); } catch (const std::invalid_argument& e) { printf("%s\n", e.what()); }
  return 0;
}
END
printf 'extern "C" int call();\nint main() { return call(); }\n' >main.cpp
for f in k1 k2 k3 host; do
  as_build hipcc -O1 -fPIC -fvisibility=hidden -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
  readelf -h $f.o | grep -q 'Machine: *RISC-V' || fail "$f.o is of another machine"
done
as_build hipcc -shared -o libk.so k1.o k2.o k3.o host.o || fail "link: $(cat err)"
has 'what is lazy' '3 blobs are lazy (9 functions' err
lacks 'a warning of the link' 'warning' err
riscv64-linux-gnu-g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T"
root=/usr/riscv64-linux-gnu/lib
for round in first second; do
  qemu-riscv64 $root/ld-linux-riscv64-lp64d.so.1 --library-path $root:. ./main >got 2>errors || fail "$round: it cannot be called: $(cat errors)"
  is "$round" '101 201 301 kernel, whose name is too long to be in place 7
101 201 301 kernel, whose name is too long to be in place 7
thrown
thrown' "$(cat got)"
done

# All of v0 to v31, at two lengths: dlopen, which a first call calls, is the program's own and writes to them.
cat >vectors.cpp <<'END'
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
extern "C" int go();
static unsigned char in[32 * 64], out[32 * 64], junk[32 * 64];
static int writes;
#define ALL(what, at) __asm__ volatile("mv t1, %0\n csrr t0, 0xc22\n slli t0, t0, 3\n .irp n,0,8,16,24\n .4byte " what " | (6 << 15) | (\\n << 7)\n add t1, t1, t0\n .endr" ::"r"(at) : "t0", "t1", "memory")
extern "C" void *dlopen(const char *name, int flags) {
  ALL("0xe2800007", junk);
  writes++;
  return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, flags);
}
int main() {
  unsigned long bytes;
  __asm__("csrr %0, 0xc22" : "=r"(bytes));
  for (int i = 0; i < (int)(32 * bytes); i++) in[i] = (unsigned char)(i * 7 + 1);
  ALL("0xe2800007", in);
  int x = go();
  ALL("0xe2800027", out);
  printf("%d, written to: %d, as they were: %d\n", x, writes > 0, memcmp(in, out, 32 * bytes) == 0);
}
END
printf '#include "api.hpp"\nextern "C" __attribute__((visibility("default"))) int go() { return few<4>(41); }\n' >host.cpp
printf 'template <int N> int few(int x);\n' >api.hpp
printf '#include "api.hpp"\ntemplate<> int few<4>(int x) { return x + 1; }\n' >k4.cpp
for f in k4 host; do
  as_build hipcc -O1 -fPIC -fvisibility=hidden -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
done
as_build hipcc -shared -o libv.so k4.o host.o || fail "link: $(cat err)"
riscv64-linux-gnu-g++ -O1 -rdynamic vectors.cpp -o vectors -L. -lv -Wl,-z,now -Wl,-rpath,"$T"
for length in 128 256; do
  is "vectors of $length bits" '42, written to: 1, as they were: 1' \
    "$(qemu-riscv64 -cpu rv64,v=true,vlen=$length,vext_spec=v1.0 $root/ld-linux-riscv64-lp64d.so.1 --library-path $root:. ./vectors)"
done
