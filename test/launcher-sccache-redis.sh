#!/bin/sh
# CK_JIT_COMPILER_LAUNCHER=sccache with a Redis behind it, for HIP 7.2.4: what one machine has compiled, the next one, with an empty
# cache and a server of its own, takes out of Redis, in the link and at the first call. The code is the same to the byte by every road: in passes,
# by the plain command, behind the launcher.
# tier: long
# seconds: 300
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare redis-server redis-cli objdump
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" sccache || skip "no HIP 7.2.4 root with sccache can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" "$@"; }
port=$((20000 + ($$ + 3000) % 20000))
redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no --dir "$T" >"$T/redis.log" 2>&1 &
redis=$!
trap 'kill $redis 2>/dev/null || true; rm -rf "$T"' EXIT
redis_answers() {
  kill -0 $redis 2>/dev/null || fail "no Redis: $(tail -n 3 "$T/redis.log")"
  [ "$(redis-cli -p $port ping 2>/dev/null)" = PONG ]
}
await 'Redis does not answer' redis_answers

mkdir "$T/src"
cat >"$T/src/api.hpp" <<'END'
#include <cstdlib>
#include <hip/hip_runtime.h>
template <int N> struct traits {};
template <class T> const char *name();
END
for n in 1 2; do
  cat >"$T/src/k$n.cpp" <<END
#include "api.hpp"
using trait = traits<$n>;
static __global__ void kernel(int *p) { *p = $n; }
template <> const char *name<trait>() {
  if (getenv("NEVER_SET")) kernel<<<1, 1>>>(nullptr);
  return "kernel $n";
}
END
done
cat >"$T/src/host.cpp" <<'END'
#include "api.hpp"
extern "C" __attribute__((visibility("default"))) const char *call(int n) { return n == 1 ? name<traits<1>>() : name<traits<2>>(); }
END
cat >"$T/machine" <<'SH'
#!/bin/sh
# machine DIR PORT [LAUNCHER]: link a library and call both kernels, as if on a machine that has seen neither
set -eu
cd "$1"
export SCCACHE_SERVER_PORT=$3 SCCACHE_IDLE_TIMEOUT=300 CK_JIT_CACHE_DIR="$1/cache" CK_JIT_ARCH=gfx942
eval "$("$2/bin/ckjit-build" home --dir "$1/home" --work "$1/work")"
cd ../src
for name in k1 k2 host; do hipcc -x hip --offload-arch=gfx942 -fPIC -fvisibility=hidden -c $name.cpp -o "$1/$name.o"; done
cd "$1"
[ -z "${4-}" ] || export CK_JIT_COMPILER_LAUNCHER="$4"
hipcc -shared -o libk.so k1.o k2.o host.o
python3 -c 'import ctypes
lib = ctypes.CDLL("./libk.so")
lib.call.restype = ctypes.c_char_p
print(lib.call(1).decode(), lib.call(2).decode())'
[ -z "${4-}" ] || { sccache --show-stats >stats; sccache --stop-server >/dev/null; }
SH
chmod +x "$T/machine"
# machine NAME PORT [LAUNCHER]
machine() {
  mkdir -p "$T/$1"
  in_root env SCCACHE_REDIS_ENDPOINT="redis://127.0.0.1:$port" "$T/machine" "$T/$1" "$B" "$2" "${3-}" >"$T/$1.out" 2>"$T/$1.err" ||
    fail "$1: $(tail -n 20 "$T/$1.err")"
  [ "$(cat "$T/$1.out")" = 'kernel 1 kernel 2' ] || fail "$1: $(cat "$T/$1.out")"
  grep -q 'libk.so: 2 blobs are lazy' "$T/$1.err" || fail "$1: $(cat "$T/$1.err")"
}
# counts NAME HITS MISSES
counts() {
  found=$(awk '/^Cache hits  / { h = $3 } /^Cache misses  / { m = $3 } END { print h "/" m }' "$T/$1/stats")
  [ "$found" = "$2/$3" ] || fail "$1: hits/misses $found, not $2/$3: $(cat "$T/$1/stats")"
  grep -q '^Cache location *redis' "$T/$1/stats" || fail "$1: not in Redis: $(cat "$T/$1/stats")"
}
machine passes 0
export CK_JIT_PCH=0
machine plain 0
unset CK_JIT_PCH
[ "$(redis-cli -p $port dbsize)" = 0 ] || fail 'something is in Redis already'
machine first $((port + 1)) sccache
counts first 0 3 # two kernels of HIP, the runtime
[ "$(redis-cli -p $port dbsize)" -ge 3 ] || fail "Redis holds $(redis-cli -p $port dbsize)"
rm -rf "$T/first"
machine first $((port + 2)) sccache
counts first 3 0
grep -E "^Cache (hits|misses|location)  " "$T/first/stats"
for n in 1 2; do
  for of in passes plain first; do
    objcopy -O binary -j .hip_fatbin "$T/$of/cache/k$n.so" "$T/$of.fatbin"
    readelf -n "$T/$of/cache/k$n.so" | sed -n 's/.*Build ID: //p' >"$T/$of.id"
  done
  for of in passes first; do
    cmp -s "$T/plain.fatbin" "$T/$of.fatbin" || fail "kernel $n, $of: another code object than by the plain command"
    cmp -s "$T/plain.id" "$T/$of.id" || fail "kernel $n, $of: another build id"
  done
done

# No Redis: sccache does not start; it is said, and nothing fails for that.
kill $redis
wait $redis 2>/dev/null || true
mkdir -p "$T/none"
in_root env SCCACHE_REDIS_ENDPOINT="redis://127.0.0.1:$port" CK_JIT_COMPILER_LAUNCHER=sccache SCCACHE_SERVER_PORT=$((port + 3)) \
  "$B/bin/ckjit-compile" --blob-source "$T/src/k1.cpp" --arch gfx942 --output "$T/none/k1.so" >"$T/none.out" 2>&1 ||
  fail "without Redis: $(cat "$T/none.out")"
grep -q 'k1: compiled again without the launcher' "$T/none.out" || fail "it is not said: $(cat "$T/none.out")"
