#!/bin/sh
# CK_JIT_COMPILER_LAUNCHER=sccache, whose server is started by the first compile and lives on: nobody waits for it, nothing of ours
# is held by it, and it is not killed with a compile. Hits are counted by it; what it cannot keep is compiled all the same.
# tier: all
. "${0%/*}/common.sh"
need sccache
. "$here/unit/postbuild_fixture.sh"
export SCCACHE_DIR="$T/sccache" SCCACHE_IDLE_TIMEOUT=0 SCCACHE_SERVER_PORT=$((20000 + $$ % 20000))
unset SCCACHE_REDIS SCCACHE_REDIS_ENDPOINT SCCACHE_CONF SCCACHE_LOG RUSTC_WRAPPER
sccache --version >version 2>&1 || skip "sccache does not run here"
trap 'sccache --stop-server >/dev/null 2>&1 || true; rm -rf "$T"' EXIT
sccache --start-server >server 2>&1 || skip "no sccache server here: $(cat server)"
sccache --stop-server >/dev/null 2>&1
# counts WHAT HITS MISSES
counts() {
  sccache --show-stats >stats 2>&1 || fail "$1: no server: $(cat stats)"
  found=$(awk '/^Cache hits  / { h = $3 } /^Cache misses  / { m = $3 } END { print h "/" m }' stats)
  [ "$found" = "$2/$3" ] || fail "$1: hits/misses $found, not $2/$3: $(cat err stats)"
}
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
export CK_JIT_COMPILER_LAUNCHER=sccache

# By a process pool that reads a pipe. Of several clients that start the server at once, sccache 0.4.0-pre.6 (Debian 12's) lets one fail now
# and then, "Timed out waiting for server startup". Such a unit is
# compiled without it, as it must be, and is in no count: then once more.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  link liba.so k1.o k2.o host.o
  says '2 blobs are lazy'
  grep -q 'without the launcher .* it said: .*waiting for server startup' err || break
  sccache --stop-server >/dev/null 2>&1
  rm -rf "$SCCACHE_DIR" "$work/liba"
done
counts 'a link' 0 1 # the runtime; the unit has an option that sccache does not know. Of the server that the link has left behind: it did not wait for its end
sccache --stop-server >/dev/null 2>&1

right liba.so 1 # and by ckjit-compile
[ -e cache/k1.so ] || fail "no kernel in the cache: $(ls -A cache)"
counts 'a kernel' 0 1
server=
for proc in /proc/[0-9]*; do
  if [ "$(readlink "$proc/exe" 2>/dev/null)" = "$(readlink -f "$(command -v sccache)")" ] &&
    tr '\0' '\n' <"$proc/environ" 2>/dev/null | grep -qx "SCCACHE_SERVER_PORT=$SCCACHE_SERVER_PORT"; then
    server=${proc#/proc/}
  fi
done
[ -n "$server" ] || fail 'where is the server?'
for fd in "/proc/$server/fd"/*; do
  case $(readlink "$fd") in
  "$T/cache/.locks"*) fail "the server holds $(readlink "$fd")" ;;
  esac
done
[ -z "$(find cache -name '.tmp-*' -o -path '*/.locks/*')" ] || fail "left: $(find cache)"

rm -rf cache "$work/liba" "$work/.runtime"
link liba.so k1.o k2.o host.o
right liba.so 1 2
counts 'again' 2 2

# A compile that is killed for its time limit leaves the server alive.
cat >slow.cpp <<'END'
#include "api.hpp"
END
i=0
while [ $i -lt 4000 ]; do
  echo "template <> int fwd<traits<$i, false>>(const args& x, args y) { std::string s = std::to_string(x.n); return s.size() + y.n; }"
  i=$((i + 1))
done >>slow.cpp
CK_JIT_COMPILE_TIMEOUT=0.3 "$B/bin/ckjit-compile" --blob-source "$T/slow.cpp" --blob-flags "-x c++ -I$T -O2" --output "$T/slow.so" \
  >out 2>&1 && fail 'a compile of seconds took 0.3'
grep -q 'was killed after 0.3 s' out || fail "$(cat out)"
kill -0 "$server" || fail 'the server was killed with the compile'

# HIP is beyond sccache before 0.9; the kernel is compiled in any case.
cat >hip.cu <<'END'
#include <hip/hip_runtime.h>
static __global__ void kernel(int *p) { *p = 1; }
template <int N> void call(int *p);
template <> void call<1>(int *p) { kernel<<<1, 1>>>(p); }
END
"$B/bin/ckjit-compile" --blob-source "$T/hip.cu" --blob-flags -O1 --arch gfx90a --hipcc "$(command -v hipcc)" --output "$T/hip.so" \
  >out 2>&1 || fail "HIP: $(cat out)"
readelf -S hip.so | grep -q hip_fatbin || fail 'no code object in the kernel'
