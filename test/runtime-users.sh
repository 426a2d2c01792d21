#!/bin/sh
# Two users and one cache directory: the second is told whose it is and loads nothing from it, neither as another user of root's
# directory nor root of another user's. Without CK_JIT_CACHE_DIR each has a cache of its own.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
need setpriv
chmod 711 "$T"
many lib 4
chmod a+w "$T/lib/log"
mkdir -m 700 "$T/theirs" "$T/home0" "$T/home1"
chown 65534:65534 "$T/theirs" "$T/home1"
as_user() {
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
as_user "$B/bin/ckjit-compile" --version >/dev/null || skip "another user cannot run the programs of this build directory"
host=$T/hostile library=$T/lib/libkernels.so
# refused NAME DIRECTORY: the error names the kernel, the directory and the reason
refused() {
  has "$1" "error: ckjit: k0: " "$T/out"
  has "$1" "cache directory $2" "$T/out"
  grep -qiE 'belongs to|owned by|permission denied' "$T/out" || fail "$1: no reason: $(cat "$T/out")"
}

is "first" 5 "$("$host" "$library" value 0 5)"
is "entry" root "$(stat -c %U "$T/cache/k0.so")"
as_user "$host" "$library" value 0 5 >"$T/out" && fail "another user loaded from root's directory"
refused "another user" "$T/cache"
export CK_JIT_CACHE_DIR="$T/theirs"
is "their first" 5 "$(as_user "$host" "$library" value 0 5)"
"$host" "$library" value 0 5 >"$T/out" && fail "root loaded what another user made"
refused "root" "$T/theirs"
is "compiles" 2 "$(started lib)"

unset CK_JIT_CACHE_DIR XDG_CACHE_HOME
is "root's own" 1005 "$(HOME=$T/home0 "$host" "$library" value 1 5)"
is "their own" 1005 "$(HOME=$T/home1 as_user "$host" "$library" value 1 5)"
is "owners" "root nobody " "$(stat -c %U "$T/home0/.cache/ck_jit/k1.so" "$T/home1/.cache/ck_jit/k1.so" | tr '\n' ' ')"
is "modes" "700 700 " "$(stat -c %a "$T/home0/.cache/ck_jit" "$T/home1/.cache/ck_jit" | tr '\n' ' ')"
is "all compiles" 4 "$(started lib)"
