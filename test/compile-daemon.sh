#!/bin/sh
# A compiler that leaves a daemon behind, as sccache's server is one: the call does not wait for it, and it is not killed with the
# compile.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
cat >"$T/daemon" <<'SHIM'
#!/bin/sh
calls=${0%/*}/calls
[ -e "$calls.pid" ] || setsid sh -c 'echo $$ >"$1.pid"; exec sleep 100000' - "$calls" &
while [ ! -s "$calls.pid" ]; do sleep 0.02; done
exec "${0%/*}/shim" "$@"
SHIM
chmod +x "$T/daemon"
trap 'kill "$(cat "$SHIM_CALLS.pid")" 2>/dev/null || :; rm -rf "$T"' EXIT
is "value" 1005 "$(CK_JIT_HIPCC=$T/daemon "$T/lib/driver" value 0 5)" # and does not wait for the daemon, which outlasts any test
daemon=$(cat "$SHIM_CALLS.pid")
kill -0 "$daemon" || fail "the daemon was killed"
is "another kernel" 1105 "$(CK_JIT_HIPCC=$T/daemon "$T/lib/driver" value 1 5)"
is "left" "" "$(find "$T/cache" -name '.tmp-*' -o -path '*/.locks/*')"

# The compile is killed, the daemon stays.
touch "$T/hold"
CK_JIT_HIPCC=$T/daemon CK_JIT_COMPILE_TIMEOUT=1 "$T/lib/driver" value 2 5 >"$T/out" && fail "a compile without an end ended"
kill -0 "$daemon" || fail "the daemon was killed with the compile"
kill "$daemon"

# The worker is killed as it was compiling: what is left of its compiler goes with it, the daemon that this one started does not, and
# does not hold the lock, which the next compile waits for.
rm "$SHIM_CALLS.pid"
echo 'int answer() { return 42; }' >"$T/a.cu"
compile() { # in the background its process is $!: a shell between the two would be what is killed
  exec "$B/bin/ckjit-compile" --hipcc "$T/daemon" --blob-source "$T/a.cu" --output "$T/cache/a.so" --cache
}
compile 2>"$T/err" &
pid=$!
await 'no daemon' test -s "$SHIM_CALLS.pid"
daemon=$(cat "$SHIM_CALLS.pid")
worker=$(cat "/proc/$pid/task/$pid/children")
worker=${worker% }
compiler=$(cat "/proc/$worker/task/$worker/children")
kill -KILL "$worker"
status=0
wait "$pid" || status=$?
is "the keeper of a worker that was killed" 137 "$status"
! kill -0 "${compiler% }" 2>/dev/null || fail "the compiler was not killed with the worker"
kill -0 "$daemon" || fail "the daemon was killed with the worker"
rm "$T/hold"
(CK_JIT_LOCK_PATIENCE=1 compile) 2>"$T/err" || fail "the next compile: $(cat "$T/err")"
[ ! -s "$T/err" ] || fail "the daemon holds the lock: $(cat "$T/err")"
kill "$daemon"
