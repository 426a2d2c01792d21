#!/bin/sh
# A library for AArch64 whose blobs are HIP's, with kernels: the first call of a function that launches nothing gets an entry without
# kernels, as it does here (runtime-host-functions), and what launches or has state the blob's own. Cross-compiled by hipcc, called by qemu-user.
# In CI: runtime-host-functions, here; aarch64-runtime, first calls on AArch64.
# tier: long
# seconds: 20
. "${0%/*}/common.sh"
need aarch64-linux-gnu-g++ qemu-aarch64
need_hipcc
cd "$T" || exit
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a CK_JIT_VERBOSE=1
unset CK_JIT_HIPCC ROCM_PATH ROCM_HOME HIP_PATH CXX CK_JIT_PER_KERNEL CK_JIT_ON_MISS CK_JIT_CACHE_READONLY_DIR CK_JIT_NAME
mkdir -p rocm/bin hip
printf '#!/bin/sh\nexec "%s" --target=aarch64-linux-gnu -L"%s" "$@"\n' "$(command -v hipcc)" "$T/hip" >rocm/bin/hipcc
chmod +x rocm/bin/hipcc
echo 'hip_4.2 { global: *; };' >map
aarch64-linux-gnu-gcc -std=gnu11 -O1 -shared -fPIC -Wl,-soname,libamdhip64.so.5 -Wl,--version-script=map -o hip/libamdhip64.so.5 "$here/unit/runtime_hip.c" -pthread
aarch64-linux-gnu-ar rcs hip/libclang_rt.builtins-x86_64.a # hipcc's own name for what it links, whatever the target
ln -s libamdhip64.so.5 hip/libamdhip64.so
CXX=aarch64-linux-gnu-g++ "$B/bin/ckjit-build" home --rocm "$T/rocm" --dir "$T/home" >exports 2>home.log || fail "no fake home: $(cat home.log)"
cat >k.hpp <<'END'
#include <string>
template <int N> int call_(int x);
template <int N> std::string name_(int x);
template <int N> int count_(int x);
template <int N> int pick_(int x);
END
# the device pass takes many times as long as the host pass
cat >k1.cu <<'END'
#include <hip/hip_runtime.h>
#include "k.hpp"
template <int M> struct body { static __device__ float go(float x) { return body<M - 1>::go(x * 1.5f + sinf(x)) + cosf(x); } };
template <> struct body<0> { static __device__ float go(float x) { return x; } };
template <int M> __global__ void kernel(int *p) { p[threadIdx.x] = (int)body<20>::go(p[threadIdx.x]); }
static int counter = 1;
static __attribute__((noinline)) long blocks(long n) { return (n + 63) / 64; }
static int launch(int x) { kernel<0><<<1, 64>>>(nullptr); return 1000 * hipGetLastError() + x; }
static int twice(int x) { return 2 * x; }
template <> int call_<1>(int x) { return launch(x); }
template <> std::string name_<1>(int x) { switch (x) { case 0: return "none"; case 1: return "one"; case 2: return "a few"; case 3: return "three"; case 7: return "seven"; } return "kernel" + std::to_string(blocks(x)); }
template <> int count_<1>(int x) { return counter += x; }
template <> int pick_<1>(int x) { static int (*const jobs[2])(int) = {twice, launch}; return jobs[x & 1](x); }
END
cat >api.cpp <<'END'
#include "k.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
void run_all(int n, char **v) {
  for (int i = 0; i + 1 < n; i += 2) {
    int x = atoi(v[i + 1]);
    if (!strcmp(v[i], "name")) printf("%s\n", name_<1>(x).c_str());
    if (!strcmp(v[i], "call")) printf("%d\n", call_<1>(x));
    if (!strcmp(v[i], "count")) printf("%d\n", count_<1>(x));
    if (!strcmp(v[i], "pick")) printf("%d\n", pick_<1>(x));
  }
}
END
echo 'void run_all(int, char **); int main(int n, char **v) { run_all(n - 1, v + 1); }' >main.cpp
(
  # shellcheck disable=SC1091
  . "$T/exports"
  hipcc -O1 -fPIC --offload-arch=gfx90a -c k1.cu -o k1.o
  hipcc -std=c++17 -fPIC -c api.cpp -o api.o
  hipcc -shared k1.o api.o -o libk.so
) >said 2>&1 || fail "$(cat said)"
grep -Eq '1 blobs? (is|are) lazy' said || fail "$(cat said)"
aarch64-linux-gnu-g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T" -Wl,--allow-shlib-undefined
root=/usr/aarch64-linux-gnu/lib

# calls WANTED ENTRIES WORD…: what the words print, on one line, and what is in the cache then
calls() {
  want_=$1 entries_=$2
  shift 2
  HIPRT_LOG=$T/log qemu-aarch64 $root/ld-linux-aarch64.so.1 --library-path "$root:.:hip" ./main "$@" >out 2>said || fail "$*: $(cat out said)"
  is "$*" "$want_" "$(tr '\n' ' ' <out)"
  is "entries behind $*" "$entries_" "$(cd cache && find . -path ./.used -prune -o -name '*.so' -print | sort | tr '\n' ' ')"
}
: >log
calls 'seven kernel2 ' './.host/k1.so ' name 7 name 65
[ ! -s log ] || fail "HIP was asked: $(cat log)"
calls 'one 5 one ' './.host/k1.so ./k1.so ' name 1 call 5 name 1
grep -q '^module ' log || fail "nothing is registered: $(cat log)"
for what in 'count 2' 'pick 1'; do
  rm -rf cache
  # shellcheck disable=SC2086
  calls "$([ "$what" = 'pick 1' ] && echo 1 || echo 3) one " './k1.so ' $what name 1
done
exit 0
