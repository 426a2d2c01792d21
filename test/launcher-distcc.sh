#!/bin/sh
# CK_JIT_COMPILER_LAUNCHER=distcc, a daemon on the loopback: what is C++ is compiled by it, counted in its log; what is HIP is not,
# and is compiled here. Without a daemon all is compiled here.
# tier: all
# seconds: 19
. "${0%/*}/common.sh"
need distcc distccd
. "$here/unit/postbuild_fixture.sh"
chmod 755 "$T"
mkdir -p "$T/daemon" "$T/distcc"
chmod 777 "$T/daemon"
port=$((20000 + $$ % 20000))
# distccd runs only what it is told: by name in /usr/lib/distcc, or listed in a file.
printf '%s\n' "$(command -v hipcc)" "$(command -v c++)" >"$T/commands"
user=
[ "$(id -u)" != 0 ] || user='--user nobody'
# shellcheck disable=SC2086 # an option or none
TMPDIR=$T/daemon DISTCC_CMDLIST=$T/commands distccd --no-detach --daemon $user --listen 127.0.0.1 --allow 127.0.0.1 --port $port \
  --log-stderr --log-level info --jobs 2 2>"$T/daemon.log" &
daemon=$!
trap 'kill $daemon 2>/dev/null || true; rm -rf "$T"' EXIT
listens() {
  kill -0 $daemon 2>/dev/null || skip "no distcc daemon here: $(tail -n 1 "$T/daemon.log")"
  grep -q 'listening on' "$T/daemon.log"
}
await 'the daemon does not listen' listens
export DISTCC_HOSTS="127.0.0.1:$port" DISTCC_DIR="$T/distcc"
unset DISTCC_BACKOFF_PERIOD DISTCC_FALLBACK DISTCC_POTENTIAL_HOSTS DISTCC_VERBOSE DISTCC_LOG

# counts WHAT COMPILES: that many were done by the daemon
counts() {
  found=$(grep -c ' COMPILE_OK ' "$T/daemon.log" || true)
  [ "$found" = "$2" ] || fail "$1: the daemon has compiled $found, not $2: $(grep -v rate "$T/daemon.log")"
}
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
export CK_JIT_COMPILER_LAUNCHER=distcc
link liba.so k1.o k2.o host.o
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time'
counts 'a link' 2 # a unit, the runtime
right liba.so 1 2
counts 'two kernels' 4
lacks 'the daemon failed' COMPILE_ERROR "$T/daemon.log"

cat >hip.cpp <<'END'
#include <hip/hip_runtime.h>
static __global__ void kernel(int *p) { *p = 1; }
template <int N> void call(int *p);
template <> void call<1>(int *p) { kernel<<<1, 1>>>(p); }
END
"$B/bin/ckjit-compile" --blob-source "$T/hip.cpp" --blob-flags -O1 --arch gfx90a --hipcc "$(command -v hipcc)" --output "$T/hip.so" \
  >out 2>&1 || fail "HIP: $(cat out)"
readelf -S hip.so | grep -q hip_fatbin || fail 'no code object in the kernel'
counts 'a kernel of HIP' 4
lacks 'HIP was sent' COMPILE_ERROR "$T/daemon.log"

kill $daemon
wait $daemon 2>/dev/null || true
rm -rf cache
right liba.so 1 2
counts 'no daemon' 4
