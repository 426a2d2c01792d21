#!/bin/sh
# With CK_JIT_PER_KERNEL=1 a function of a HIP blob that launches nothing, and asks HIP about devices at most, does not wait for kernels: its
# first call makes an entry without them, in which nothing else calls HIP, so it may be made in a host callback of a stream. What launches,
# and what has state, is of the whole entry, and there once.
# tier: all
# seconds: 60
. "${0%/*}/common.sh"
need g++ nm
need_hipcc
cd "$T"
export CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_VERBOSE=1
export CK_JIT_PER_KERNEL=1
unset CK_JIT_ON_MISS CK_JIT_CACHE_READONLY_DIR CK_JIT_ARCH CK_JIT_NAME
cat >k.hpp <<'END'
#include <string>
template <int N> int call_(int *p);
template <int N> std::string name_(int x);
template <int N> long size_(long n);
template <int N> int count_(int x);
template <int N> bool asks_(int x);
END
# its device pass takes several times as long as its host pass
for n in 1 2 3; do
  cat >k$n.cu <<END
#include <hip/hip_runtime.h>
#include <iostream>
#include "k.hpp"
template <int M> struct body { static __device__ float go(float x) { return body<M - 1>::go(x * 1.5f + sinf(x)) + cosf(x); } };
template <> struct body<0> { static __device__ float go(float x) { return x; } };
template <int M> __global__ void kernel(int *p) { p[threadIdx.x] = (int)body<25>::go(p[threadIdx.x]); }
static int counter = $n;
static __attribute__((noinline)) long blocks(long n) { return (n + 63) / 64; }
template <> int call_<$n>(int *p) { kernel<0><<<blocks(7), 64>>>(p); return $n; }
template <> std::string name_<$n>(int x) { return std::string(x ? "kernel" : "no kernel") + std::to_string(x) + "_$n"; }
template <> long size_<$n>(long n) { return blocks(n) * $n; }
template <> int count_<$n>(int x) { return counter += x; }
END
done
cat >>k3.cu <<'END'
template <> bool asks_<3>(int x) { int n = x; return hipGetDeviceCount(&n) == hipSuccess || n <= x; }
END
cat >api.cpp <<'END'
#include "k.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
template <int N> void run(const char *what, int x) {
  if (!strcmp(what, "name")) printf("%s\n", name_<N>(x).c_str());
  if (!strcmp(what, "size")) printf("%ld\n", size_<N>(x));
  if (!strcmp(what, "count")) printf("%d\n", count_<N>(x));
  if constexpr (N == 3) if (!strcmp(what, "asks")) printf("%d\n", asks_<N>(x));
  if (!strcmp(what, "call")) printf("%d\n", call_<N>(nullptr));
}
void run_all(int n, char **v) {
  for (int i = 0; i + 2 < n; i += 3) try {
    int x = atoi(v[i + 2]);
    switch (*v[i + 1]) { case '1': run<1>(v[i], x); break; case '2': run<2>(v[i], x); break; default: run<3>(v[i], x); }
    fflush(stdout);
  } catch (const std::exception &e) { printf("threw %s\n", e.what()); }
}
END
echo 'void run_all(int, char **); int main(int n, char **v) { run_all(n - 1, v + 1); }' >main.cpp
"$B/bin/ckjit-build" home --dir home >home.env 2>said || fail "$(cat said)"
(
  eval "$(cat home.env)"
  for n in 1 2 3; do hipcc -O1 -fPIC --offload-arch=gfx90a -c k$n.cu -o k$n.o; done
  hipcc -std=c++17 -fPIC -c api.cpp -o api.o
  hipcc -shared k1.o k2.o k3.o api.o -o libk.so
) >said 2>&1 || fail "$(cat said)"
grep -q '3 blobs are lazy' said || fail "$(cat said)"
g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T" -Wl,--allow-shlib-undefined

# calls WORD…: what they print is in out, what ckjit says in said
calls() {
  ./main "$@" >out 2>said || fail "$*: $(cat out said)"
}
# printed LINE…
printed() {
  printf '%s\n' "$@" | cmp -s - out || fail "expected '$*', found '$(cat out)': $(cat said)"
}
# entries WANTED: the entries in the cache
entries() {
  [ "$(cd "$CK_JIT_CACHE_DIR" && find . -name '*.so' | sort | tr '\n' ' ')" = "$1" ] || fail "entries: $(find "$CK_JIT_CACHE_DIR" -name '*.so'); expected $1"
}

# a HIP in which every function ends the process
mkdir stub
{
  nm -Du libk.so | sed -n 's/.* \(_*hip[A-Za-z_]*\).*/\1/p'
  printf '%s\n' __hipRegisterFatBinary __hipUnregisterFatBinary __hipRegisterFunction hipLaunchKernel \
    __hipPushCallConfiguration __hipPopCallConfiguration
} | sort -u | sed 's/.*/void &(void) { __builtin_trap(); }/' >stub.c
soname=$(ldd libk.so | sed -n 's/^\s*\(libamdhip64[^ ]*\) .*/\1/p')
[ -n "$soname" ] || soname=libamdhip64.so.5
gcc -shared -fPIC stub.c -o "stub/$soname" -Wl,-soname,"$soname"

# ---- the host alone
export CK_JIT_CACHE_DIR="$T/cache"
LD_LIBRARY_PATH=$T/stub calls name 1 0 name 1 2 size 1 65
printed 'no kernel0_1' kernel2_1 2
entries './.host/k1.so '
[ "$(grep -c 'k1: compiled in' said)" = 1 ] || fail "not one compile: $(cat said)"
nm -D cache/.host/k1.so >symbols
lacks 'an entry of the host alone' 'hip\|call_\|count_' symbols
grep -q 'T _Z5name_ILi1E' symbols && grep -q 'T _Z5size_ILi1E' symbols || fail "$(cat symbols)"
touch -d '2001-02-03' cache/.host/k1.so
LD_LIBRARY_PATH=$T/stub CK_JIT_ON_MISS=error calls size 1 640 name 1 7
[ -n "$(find cache/.host/k1.so -newermt '2001-02-04')" ] || fail 'it does not count as used'
printed 10 kernel7_1
grep -q "loaded from $T/cache/.host/k1.so" said || fail "$(cat said)"

# ---- what has state, and what launches, is of the whole
calls size 1 1 count 1 5 name 1 3 count 1 5
printed 1 6 kernel3_1 11
entries './.host/k1.so ./k1.so '
calls name 1 4 call 1 0
printed kernel4_1 1
grep -q "loaded from $T/cache/k1.so" said || fail "$(cat said)"
lacks 'the whole is there' 'loaded from .*host' said
LD_LIBRARY_PATH=$T/stub ./main call 1 0 >out 2>said && fail 'HIP of this test does not end a process that calls it'

# ---- eight processes: one compiles
for i in 1 2 3 4 5 6 7 8; do
  ./main name 2 "$i" >"out.$i" 2>"said.$i" &
done
wait
for i in 1 2 3 4 5 6 7 8; do
  [ "$(cat out.$i)" = "kernel${i}_2" ] || fail "process $i: $(cat out.$i said.$i)"
done
[ "$(cat said.? | grep -c 'k2: compiled in')" = 1 ] || fail "$(cat said.?)"
entries './.host/k1.so ./.host/k2.so ./k1.so '

# ---- nothing may be compiled; a cache that cannot be written to
CK_JIT_ON_MISS=error calls size 2 64 count 2 1 size 3 1
sed 's/^\(threw ckjit: k[23]: it is not compiled\).*/\1/;/^[lt]o/d' out >short
printf '2\nthrew ckjit: k2: it is not compiled\nthrew ckjit: k3: it is not compiled\n' | cmp -s - short || fail "$(cat out)"
chmod 755 cache
mkdir -m 700 empty
CK_JIT_CACHE_READONLY_DIR=$T/cache CK_JIT_CACHE_DIR=$T/empty CK_JIT_ON_MISS=error calls name 2 1
printed kernel1_2
chmod 700 cache

# ---- a function that asks HIP about devices, and launches nothing
CK_JIT_CACHE_DIR=$T/empty calls asks 3 0
printed 1
CK_JIT_CACHE_DIR=$T/empty entries './.host/k3.so '

# ---- switched off, not asked for, by another compiler, or where it cannot be kept: the whole, as ever
for way in off unset other blocked; do
  export CK_JIT_CACHE_DIR="$T/$way"
  mkdir -m 700 "$way"
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v hipcc)" >other-hipcc
  chmod +x other-hipcc
  case $way in
  off) CK_JIT_PER_KERNEL=0 calls name 3 1 ;;
  unset) (unset CK_JIT_PER_KERNEL && calls name 3 1) ;;
  blocked)
    : >blocked/.host
    calls name 3 1
    ;;
  other) CK_JIT_HIPCC=$T/other-hipcc calls name 3 1 ;;
  esac
  printed kernel1_3
  entries './k3.so '
done

# ---- it is cleaned with its blob
export CK_JIT_CACHE_DIR="$T/cache"
"$B/bin/ckjit-prebuild" clean --manifest "$(find home/work -name 'manifest.json.ndjson')" k1 >out 2>&1 || fail "$(cat out)"
entries './.host/k2.so '
"$B/bin/ckjit-prebuild" clean --all >out 2>&1 || fail "$(cat out)"
entries ''
