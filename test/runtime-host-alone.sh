#!/bin/sh
# With CK_JIT_PER_KERNEL=1 the first call of a function of a HIP blob gets the host's side of the blob: all functions and all state, nothing that
# calls HIP when it is loaded. The code object comes with the first launch, whose compile began at the same moment, and goes on without the
# job; or began with the launch, if the function launches nothing. What cannot be had is HIP's error of that launch, and is said.
# tier: all
# seconds: 90
. "${0%/*}/common.sh"
need g++ nm python3
. "$here/unit/hip_fixture.sh"
export CK_JIT_VERBOSE=1 CK_JIT_PER_KERNEL=1
unset CK_JIT_ON_MISS CK_JIT_CACHE_READONLY_DIR CK_JIT_NAME
cat >k.hpp <<'END'
#include <string>
#define SCALE 1
template <int N> int call_(int *p);
template <int N> std::string name_(int x);
template <int N> int count_(int x);
template <int N> bool asks_(int x);
END
# the device pass of k1, k2 and k3 takes many times as long as the host pass
for n in 1 2 3 4; do
  case $n in 3) steps=60 ;; 4) steps=1 ;; *) steps=40 ;; esac
  cat >k$n.cu <<END
#include <hip/hip_runtime.h>
#include <iostream>
#include "k.hpp"
template <int M> struct body { static __device__ float go(float x) { return body<M - 1>::go(x * 1.5f + sinf(x)) + cosf(x); } };
template <> struct body<0> { static __device__ float go(float x) { return x; } };
template <int M> __global__ void kernel(int *p) { p[threadIdx.x] = (int)body<$steps>::go(p[threadIdx.x]) + SCALE; }
static int counter = $n;
static __attribute__((noinline)) long blocks(long n) { return (n + 63) / 64; }
template <> int call_<$n>(int *p) {
  hipFuncAttributes a;
  kernel<0><<<blocks(7), 64>>>(p);
  const int launched = hipGetLastError(), asked = hipFuncGetAttributes(&a, reinterpret_cast<const void *>(kernel<0>));
  hipGetLastError();
  return 1000 * launched + 1000000 * asked + counter;
}
template <> std::string name_<$n>(int x) { return std::string(x ? "kernel" : "no kernel") + std::to_string(blocks(x)) + "_$n"; }
template <> int count_<$n>(int x) { return counter += x; }
END
done
cat >>k3.cu <<'END'
template <> bool asks_<3>(int x) { return hipPeekAtLastError() == hipSuccess && !x; }
END
cat >api.cpp <<'END'
#include "k.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
template <int N> void run(const char *what, int x) {
  if (!strcmp(what, "name")) printf("%s\n", name_<N>(x).c_str());
  if (!strcmp(what, "count")) printf("%d\n", count_<N>(x));
  if constexpr (N == 3) if (!strcmp(what, "asks")) printf("%d\n", asks_<N>(x));
  if (!strcmp(what, "call")) printf("%d\n", call_<N>(nullptr));
  if (!strcmp(what, "calls")) { /* x threads */
    std::vector<std::thread> all;
    int wrong = 0;
    for (int i = 0; i < x; i++) all.emplace_back([&] { if (call_<N>(nullptr) != N) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED); });
    for (auto &t : all) t.join();
    printf("%d wrong\n", wrong);
  }
  if (!strcmp(what, "fork")) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (!child) { printf("%d in the child\n", call_<N>(nullptr)); fflush(stdout); _exit(0); }
    waitpid(child, &status, 0);
  }
  if (!strcmp(what, "until")) { /* the file go exists */
    printf("waits\n"), fflush(stdout);
    for (pid_t parent = getppid(); access("go", F_OK) && getppid() == parent;) usleep(20000);
  }
  if (!strcmp(what, "children")) printf("%s\n", waitpid(-1, nullptr, WNOHANG) < 0 ? "no children" : "a child");
}
void run_all(int n, char **v) {
  for (int i = 0; i + 2 < n; i += 3) try {
    int x = atoi(v[i + 2]);
    switch (*v[i + 1]) { case '1': run<1>(v[i], x); break; case '2': run<2>(v[i], x); break; case '3': run<3>(v[i], x); break; default: run<4>(v[i], x); }
    fflush(stdout);
  } catch (const std::exception &e) { printf("threw %s\n", e.what()); }
}
END
echo 'void run_all(int, char **); int main(int n, char **v) { run_all(n - 1, v + 1); }' >main.cpp
"$B/bin/ckjit-build" home --dir home >home.env 2>said || fail "$(cat said)"
# make_library: of the sources as they are
make_library() (
  eval "$(cat home.env)"
  for n in 1 2 3 4; do hipcc -O1 -fPIC --offload-arch=gfx90a -c k$n.cu -o k$n.o; done
  hipcc -std=c++17 -fPIC -c api.cpp -o api.o
  hipcc -shared k1.o k2.o k3.o k4.o api.o -o libk.so
) >said 2>&1
make_library || fail "$(cat said)"
grep -q '4 blobs are lazy' said || fail "$(cat said)"
g++ main.cpp -o main -L. -lk -Wl,-rpath,"$T" -Wl,--allow-shlib-undefined -pthread

# calls WORD…: what they print is in out, what ckjit says in said, what HIP is asked in log
calls() {
  run ./main "$@" >out 2>said || fail "$*: $(cat out said)"
}
# in a HIP in which every function ends the process
calls_no_hip() {
  LD_LIBRARY_PATH=$T/stub ./main "$@" >out 2>said || fail "$*: $(cat out said)"
}
# printed LINE…
printed() {
  printf '%s\n' "$@" | cmp -s - out || fail "expected '$*', found '$(cat out)': $(cat said)"
}
# entries WANTED: the entries in the cache
entries() {
  [ "$(cd "$CK_JIT_CACHE_DIR" && find . -name '*.so' | sort | tr '\n' ' ')" = "$1" ] || fail "entries: $(find "$CK_JIT_CACHE_DIR" -name '*.so'); expected $1"
}
nothing_compiles() { [ -z "$("$B/bin/ckjit-prebuild" status 2>/dev/null)" ]; }
# quiet: whatever still goes on ends
quiet() { await 'the compiles to end' nothing_compiles; }

mkdir stub
echo 'hip_4.2 { global: *; };' >stub/map
nm -D --defined-only hip/libamdhip64.so.5 | sed -n 's/.* T \([_a-zA-Z0-9]*\).*/void \1(void) { __builtin_trap(); }/p' >stub.c
gcc -shared -fPIC -w stub.c -o stub/libamdhip64.so.5 -Wl,-soname,libamdhip64.so.5 -Wl,--version-script=stub/map

# ---- a function that launches nothing: its blob's host code alone is compiled, with its state; HIP is not called
calls_no_hip name 1 0 name 1 65 count 1 5 count 1 5 children 1 0
printed 'no kernel0_1' kernel2_1 6 11 'no children'
entries './.host/k1.so '
[ "$(grep -c 'k1: compiled in' said)" = 1 ] || fail "not one compile: $(cat said)"
nothing_compiles || fail "its kernels are compiled"
touch -d '2001-02-03' cache/.host/k1.so
CK_JIT_ON_MISS=error calls_no_hip count 1 1 name 1 7
[ -n "$(find cache/.host/k1.so -newermt '2001-02-04')" ] || fail 'it does not count as used'
printed 2 kernel1_1
grep -q "loaded from $T/cache/.host/k1.so" said || fail "$(cat said)"
LD_LIBRARY_PATH=$T/stub ./main call 1 0 >out 2>said && fail 'HIP of this test does not end a process that calls it'

# ---- a launch that may not compile, or cannot: HIP's error, and it is said, once
rm -f cache/k1.so
CK_JIT_ON_MISS=error calls name 1 3 call 1 0 call 1 0
printed kernel1_1 98098001 98098001
[ "$(grep -c 'error: k1: its kernels: it is not compiled, because CK_JIT_ON_MISS is error' said)" = 1 ] || fail "$(cat said)"
grep -q 'its launches fail with hipErrorInvalidDeviceFunction' said || fail "$(cat said)"
entries './.host/k1.so '

# ---- a launch compiles the kernels; one code object for all of them, the state is that of the host's side
calls count 1 4 call 1 0 count 1 1 fork 1 0
printed 5 5 6 '6 in the child'
entries './.host/k1.so ./k1.so '
grep -q "k1: kernels loaded from $T/cache/k1.so" said || fail "$(cat said)"
lacks 'the whole is not loaded beside it' "k1: loaded from $T/cache/k1.so" said
[ "$(grep -c '^module ' log)" = 1 ] || fail "registered: $(cat log)"
calls call 1 0
grep -q "k1: loaded from $T/cache/k1.so" said || fail "$(cat said)"
lacks 'the whole is there' 'loaded from .*host' said

# ---- what launches, or may, returns with the host's side, while the kernels are compiled; many threads, one compile
calls count 2 0 children 2 0 calls 2 6
printed 2 'no children' '0 wrong'
entries './.host/k1.so ./.host/k2.so ./k1.so ./k2.so '
[ "$(grep -c '^module ' log)" = 1 ] || fail "registered: $(cat log)"
[ "$(grep -c 'k2: compiled in' said)" = 1 ] || fail "not one compile: $(cat said)"

# ---- its compile is killed, and the entry that came damaged is not used
: >log
: >out
run python3 -c 'import ctypes, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) # takes in orphans, as a supervisor does
sys.exit(subprocess.call(sys.argv[1:]))' ./main count 3 1 until 3 0 call 3 0 >out 2>said &
pid=$!
await 'the call to return' grep -q waits out
"$B/bin/ckjit-prebuild" status >running 2>&1 || fail "$(cat running)"
grep -q 'for main (pid [0-9]*)$' running || fail "it is not said for whom it goes on: $(cat running)"
holder=$("$B/bin/ckjit-prebuild" status 2>/dev/null | sed -n 's/.*ckjit-compile (pid \([0-9]*\)).*/\1/p' | head -n 1)
[ -n "$holder" ] || fail "nothing compiles: $(cat said)"
kill -9 "$holder"
quiet
[ ! -e cache/k3.so ] || fail "its compile was not killed"
head -c 5000 cache/k2.so >cache/k3.so
chmod 500 cache/k3.so
: >go
wait $pid || fail "$(cat said)"
printed 4 waits 4
grep -q 'k3: compiled in .*' said && [ "$(grep -c '^module ' log)" = 1 ] || fail "$(cat said log)"
rm -f go cache/k3* cache/.host/k3*

# ---- a header is edited while the host's side is in use: there are no kernels that belong to it, and it goes
: >out
run ./main name 3 1 until 3 0 call 3 0 >out 2>said &
pid=$!
await 'the call to return' grep -q waits out
cp k.hpp k.hpp.old
sed -i 's/SCALE 1/SCALE 2/' k.hpp
: >go
wait $pid || fail "$(cat said)"
printed kernel1_3 waits 98098003
grep -q 'error: k3: its kernels: ' said || fail "$(cat said)"
cp -p k.hpp.old k.hpp
[ ! -e cache/.host/k3.so ] || fail 'what has no kernels any more is kept'
rm -f go cache/k3*

# ---- eight processes: one compiles, and none waits for kernels
rm -f cache/k2* cache/.host/k2*
for i in 1 2 3 4 5 6 7 8; do
  ./main count 2 "$i" >"out.$i" 2>"said.$i" &
done
wait
for i in 1 2 3 4 5 6 7 8; do
  [ "$(cat out.$i)" = $((i + 2)) ] || fail "process $i: $(cat out.$i said.$i)"
done
[ "$(grep -c "loaded from $T/cache/.host/k2.so" said.? | grep -c ':1')" -gt 1 ] || fail "they waited: $(cat said.?)"
[ "$(cat said.? | grep -c 'k2: compiled in')" = 1 ] || fail "$(cat said.?)"
quiet
rm -f cache/k2.so

# ---- a read-only cache; a host's side that is another's
mkdir -m 700 empty
chmod 755 cache
CK_JIT_CACHE_READONLY_DIR=$T/cache CK_JIT_CACHE_DIR=$T/empty CK_JIT_ON_MISS=error calls_no_hip name 2 1
printed kernel1_2
chmod 700 cache
mkdir -m 700 foreign foreign/.host
head -c 5000 cache/.host/k2.so >foreign/.host/k2.so
CK_JIT_CACHE_DIR=$T/foreign calls name 2 1
printed kernel1_2

# ---- a function that asks HIP about devices, and launches nothing
CK_JIT_CACHE_DIR=$T/empty run ./main asks 3 0 >out 2>said || fail "$(cat said)"
printed 1
CK_JIT_CACHE_DIR=$T/empty entries './.host/k3.so '

# ---- switched off, by another compiler, or where it cannot be kept: the whole, as ever
for way in off other blocked; do
  export CK_JIT_CACHE_DIR="$T/$way"
  mkdir -m 700 "$way"
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v hipcc)" >other-hipcc
  chmod +x other-hipcc
  case $way in
  off) CK_JIT_PER_KERNEL=0 calls name 4 1 ;;
  blocked)
    : >blocked/.host
    calls name 4 1
    ;;
  other) CK_JIT_HIPCC=$T/other-hipcc calls name 4 1 ;;
  esac
  printed kernel1_4
  entries './k4.so '
done

# ---- it is cleaned with its blob
export CK_JIT_CACHE_DIR="$T/cache"
"$B/bin/ckjit-prebuild" clean --manifest "$(find home/work -name 'manifest.json.ndjson')" k1 >out 2>&1 || fail "$(cat out)"
entries './.host/k2.so '
"$B/bin/ckjit-prebuild" clean --all >out 2>&1 || fail "$(cat out)"
entries ''
