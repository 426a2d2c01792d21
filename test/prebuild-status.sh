#!/bin/sh
# status names each compile that is going on in a cache: the kernel, since when, how long it took last time, whose process compiles it and
# who waits for it. A killed one is not named; a cache of another user, or one that is open, is refused, and nothing is changed.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 3
lib=$T/lib/libkernels.so cache=$T/cache
status() {
  "$B/bin/ckjit-prebuild" status "$@" >"$T/out" 2>"$T/err"
}
# shows TEXT: status does, of k0
shows() {
  status && grep -q "^$1" "$T/out"
}
field() {
  sed -n "s/^k0\t/&/p" "$T/out" | cut -f "$1"
}
unset CK_JIT_CACHE_DIR
XDG_CACHE_HOME=$T/none status || fail "no cache: $(cat "$T/err")"
has "no cache" "note: the cache directory $T/none/ck_jit does not exist yet" "$T/err"
status --cache-dir "$T/none" && fail "one that was mistyped"
has "mistyped" "status: the cache directory $T/none (--cache-dir) does not exist" "$T/err"
export CK_JIT_CACHE_DIR="$cache"

api "open:$lib" compile:k0:store >/dev/null
rm "$cache"/*.so
status || fail "status"
has "nothing" "note: nothing is being compiled into $cache" "$T/err"
is "output" "" "$(cat "$T/out")"

# one compiles, another waits
touch "$T/lib/control/k0.hold"
"$T/api" "open:$lib" compile:k0:store >/dev/null &
first=$!
await "the compile" shows "k0	.*for api (pid $first)"
"$T/api" "open:$lib" compile:k0:store >/dev/null &
second=$!
await "the one that waits" shows "k0	.*for api (pid $first), api (pid $second)"
is "lines" 1 "$(wc -l <"$T/out")"
field 2 | grep -qE '^[0-9]+\.[0-9] s$' || fail "since when: $(cat "$T/out")"
field 3 | grep -qE '^[0-9]+\.[0-9] CPU-seconds last time$' || fail "last time: $(cat "$T/out")"
pid=$(field 4 | sed -n 's/^ckjit-compile (pid \([0-9]*\))$/\1/p')
is "the process" ckjit-compile "$(cat "/proc/$pid/comm")"
is "left as it was" "$pid" "$(status && field 4 | sed 's/.*pid \([0-9]*\))/\1/')"
before=$(find "$cache" | sort)
status
is "changed nothing" "$before" "$(find "$cache" | sort)"

# from another container: what the lock says; what the directory does, if that is all there is
if [ "$(id -u)" = 0 ] && unshare -pf --mount-proc true 2>/dev/null; then
  unshare -pf --mount-proc "$B/bin/ckjit-prebuild" status >"$T/out" 2>&1 || fail "another container: $(cat "$T/out")"
  grep -qE "^build id [0-9a-f]{48}	[0-9]+\\.[0-9] s	.*	ckjit-compile \\(pid $pid in another container\\)	for api \\(pid $first in another container\\)$" "$T/out" ||
    fail "another container: $(cat "$T/out")"
  unshare -pfu --mount-proc sh -c 'hostname elsewhere && "$0" status' "$B/bin/ckjit-prebuild" >"$T/out" 2>&1 || fail "another machine: $(cat "$T/out")"
  grep -q "ckjit-compile (pid $pid on $(uname -n))	for api (pid $first on $(uname -n))$" "$T/out" || fail "another machine: $(cat "$T/out")"
  for lock in "$cache"/.locks/????????????????????????????????????????????????; do : >"$lock"; done
  unshare -pf --mount-proc "$B/bin/ckjit-prebuild" status >"$T/out" 2>&1 || fail "another container: $(cat "$T/out")"
  grep -qE "^build id [0-9a-f]{48}	.*	in another container or on another machine$" "$T/out" || fail "nothing in the lock: $(cat "$T/out")"
fi
# the job is gone, its compile goes on
kill -KILL "$first"
wait "$first" 2>/dev/null || :
await "nobody" shows "k0	.*for a job that has ended, api (pid $second)"
rm "$T/lib/control/k0.hold"
wait "$second" || fail "the one that waited"
is "over" "" "$(status && cat "$T/out")"
chmod 755 "$cache"
status && fail "open to others"
has "open to others" "status: the cache directory $cache is open to other users" "$T/err"
chmod 700 "$cache"
status k0 && fail "a blob"
has "a blob" "status: expected no blob" "$T/err"
