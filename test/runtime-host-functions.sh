#!/bin/sh
# The first call of a function of a HIP blob that launches nothing waits for the host pass: it gets an entry without kernels, and the device
# pass is ended. A function with state, or that reaches a kernel by any way, comes from the blob's own entry, as does any in a row of a
# dispatcher that has begun. What they return is what it always was.
# tier: all
# seconds: 60
. "${0%/*}/common.sh"
need g++
. "$here/unit/hip_fixture.sh"
export CK_JIT_VERBOSE=1
unset CK_JIT_ON_MISS CK_JIT_CACHE_READONLY_DIR CK_JIT_NAME CK_JIT_PER_KERNEL CK_JIT_WARM
cat >k.hpp <<'END'
#include <string>
template <int N> int call_(int x);
template <int N> std::string name_(int x);
template <int N> int count_(int x);
template <int N> const void *handle_();
template <int N> int pick_(int x);
template <int N> int with_(int (*f)(int), int x);
template <int N> int on_(const struct stream *s, int x);
template <int N> int leads_(int x);
END
# the device pass takes many times as long as the host pass
for n in 1 2; do
  cat >k$n.cu <<END
#include <hip/hip_runtime.h>
#include <iostream>
#include "k.hpp"
template <int M> struct body { static __device__ float go(float x) { return body<M - 1>::go(x * 1.5f + sinf(x)) + cosf(x); } };
template <> struct body<0> { static __device__ float go(float x) { return x; } };
template <int M> __global__ void kernel(int *p) { p[threadIdx.x] = (int)body<20>::go(p[threadIdx.x]); }
static int counter = $n;
static __attribute__((noinline)) long blocks(long n) { return (n + 63) / 64; }
static int launch(int x) { kernel<0><<<1, 64>>>(nullptr); return 1000 * hipGetLastError() + counter + x; }
static int twice(int x) { return 2 * x; }
template <> int call_<$n>(int x) { return launch(x); }
template <> std::string name_<$n>(int x) { std::cerr << std::flush; return std::string(x ? "kernel" : "no kernel") + std::to_string(blocks(x)) + "_$n"; }
template <> int count_<$n>(int x) { return counter += x; }
template <> const void *handle_<$n>() { return reinterpret_cast<const void *>(kernel<0>); }
template <> int pick_<$n>(int x) { static int (*const jobs[2])(int) = {twice, launch}; return jobs[x & 1](x); }
template <> int with_<$n>(int (*f)(int), int x) { return f(x) + 1; }
template <> int on_<$n>(const struct stream *s, int x) {
  return s ? 0 : launch(x);
}
template <> int leads_<$n>(int x) { return x > 9 ? on_<$n>(nullptr, x) : x; }
END
done
cat >api.cpp <<'END'
#include "k.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>
static int thrice(int x) { return 3 * x; }
template <int N> void run(const char *what, int x) {
  if (!strcmp(what, "name")) printf("%s\n", name_<N>(x).c_str());
  if (!strcmp(what, "count")) printf("%d\n", count_<N>(x));
  if (!strcmp(what, "call")) printf("%d\n", call_<N>(x));
  if (!strcmp(what, "handle")) printf("%d\n", handle_<N>() != nullptr);
  if (!strcmp(what, "pick")) printf("%d\n", pick_<N>(x));
  if (!strcmp(what, "with")) printf("%d\n", with_<N>(thrice, x));
  if (!strcmp(what, "leads")) printf("%d\n", leads_<N>(x));
  if (!strcmp(what, "launches")) printf("%d\n", with_<N>(call_<N>, x));
  if (!strcmp(what, "both")) { /* x threads ask for the name, one launches */
    std::vector<std::thread> all;
    int wrong = 0;
    for (int i = 0; i <= x; i++)
      all.emplace_back([&, i] { if (i == x ? call_<N>(0) != N : name_<N>(i) != name_<N>(i)) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED); });
    for (auto &t : all) t.join();
    printf("%d wrong\n", wrong);
  }
}
void run_all(int n, char **v) {
  for (int i = 0; i + 2 < n; i += 3) try {
    if (*v[i + 1] == '1') run<1>(v[i], atoi(v[i + 2])); else run<2>(v[i], atoi(v[i + 2]));
    fflush(stdout);
  } catch (const std::exception &e) { printf("threw %s\n", e.what()); }
}
END
echo 'void run_all(int, char **); int main(int n, char **v) { run_all(n - 1, v + 1); }' >main.cpp
"$B/bin/ckjit-build" home --dir home >home.env 2>said || fail "$(cat said)"
(
  eval "$(cat home.env)"
  for n in 1 2; do hipcc -O1 -fPIC --offload-arch=gfx90a -c k$n.cu -o k$n.o; done
  hipcc -std=c++17 -fPIC -c api.cpp -o api.o
  hipcc -shared k1.o k2.o api.o -o libk.so
) >said 2>&1 || fail "$(cat said)"
grep -q '2 blobs are lazy' said || fail "$(cat said)"
g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T" -Wl,--allow-shlib-undefined -pthread

# calls WORD…: what they print is in out, what ckjit says in said, what HIP is asked in log
calls() {
  run ./main "$@" >out 2>said || fail "$*: $(cat out said)"
}
# printed LINE…
printed() {
  printf '%s\n' "$@" | cmp -s - out || fail "expected '$*', found '$(cat out)': $(cat said)"
}
# entries WANTED: the entries in the cache
entries() {
  [ "$(cd "$CK_JIT_CACHE_DIR" && find . -path ./.used -prune -o -name '*.so' -print | sort | tr '\n' ' ')" = "$1" ] || fail "entries: $(find "$CK_JIT_CACHE_DIR" -name '*.so'); expected '$1': $(cat said)"
}
fresh() { rm -rf cache; }

# ---- launches nothing, has no state: no kernels, no call of HIP's; the second function is there already
calls name 1 0 name 1 65 with 1 4
printed 'no kernel0_1' kernel2_1 13
entries './.host/k1.so '
[ "$(grep -c 'k1: compiled in' said)" = 1 ] || fail "not one compile: $(cat said)"
[ ! -s log ] || fail "HIP was asked: $(cat log)"
[ -z "$(cat cache/.used/* 2>/dev/null)" ] || fail "it counts as a kernel that was used: $(cat cache/.used/*)"

# ---- a later process, nothing may be compiled; what launches is a miss there, and compiled otherwise
CK_JIT_ON_MISS=error calls name 1 7 call 1 0
grep -q kernel1_1 out && grep -q 'threw .*CK_JIT_ON_MISS is error' out || fail "$(cat out)"
calls name 1 7 call 1 2 name 1 1 count 1 3 call 1 0
printed kernel1_1 3 kernel1_1 4 4
entries './.host/k1.so ./k1.so '
[ "$(grep -c '^module ' log)" = 1 ] || fail "registered: $(cat log)"
grep -q k1 cache/.used/* 2>/dev/null || fail 'what was launched is not recorded'
export CK_JIT_WARM=0

# ---- one that takes a function and calls it: the kernel is launched, once there is one
fresh
calls with 1 1 launches 1 5
printed 4 7
entries './.host/k1.so ./k1.so '

# ---- state, a kernel's address, a table with one that launches: whole, at once
for what in 'count 1 2' 'handle 1 0' 'pick 1 2'; do
  fresh
  # shellcheck disable=SC2086
  calls $what name 1 1
  entries './k1.so '
  [ "$(grep -c 'k1: compiled in' said)" = 1 ] || fail "$what: $(cat said)"
  tail -n 1 out | grep -qx kernel1_1 || fail "$what: $(cat out)"
done

# ---- threads that ask, and one that launches: each gets what it should
fresh
calls both 1 6 both 2 6
printed '0 wrong' '0 wrong'

# ---- two processes
fresh
./main name 2 1 >out.1 2>said.1 &
./main name 2 65 >out.2 2>said.2
wait
[ "$(cat out.1 out.2)" = "$(printf 'kernel1_2\nkernel2_2')" ] || fail "$(cat out.1 said.1 out.2 said.2)"
entries './.host/k2.so '

# ---- not by settings under which a blob leaves the table, nor if it is switched off; prebuild makes the whole
for way in CK_JIT_PER_KERNEL=0 CK_JIT_MEMORY_CACHE_MAX=5; do
  fresh
  (export "${way?}" && calls name 2 1) || exit
  printed kernel1_2
  entries './k2.so '
done
fresh
"$B/bin/ckjit-prebuild" build --manifest "$(find home/work -name ck_jit_manifest.json)" --arch gfx90a --cache-dir cache k2 >out 2>&1 || fail "$(cat out)"
entries './k2.so '

# ---- given nothing but a number, and there is a precompiled header: no device pass is begun. What launches after all, or leads to what is
# given a stream, whose body was left out, is compiled whole
fresh
calls name 1 7
rm cache/.host/k1.so
CK_JIT_TRACE=$T/trace calls name 1 7 with 1 4
printed kernel1_1 13
entries './.host/k1.so '
grep -q 'host pass, without launches' trace || fail "the host pass was not made by itself: $(cat trace)"
lacks 'a device pass was begun' 'device pass' trace
rm cache/.host/k1.so trace
CK_JIT_TRACE=$T/trace calls leads 1 5 leads 1 12 name 1 1 call 1 2
printed 5 13 kernel1_1 3
entries './k1.so '
grep -q 'host pass, without launches' trace || fail "the host pass was not made by itself: $(cat trace)"
