#!/bin/sh
# In a user namespace all users that it does not map show as one, the overflow id. What belongs to
# that is nobody's in particular: not even a process with this id loads it. Where the namespace maps
# all ids, 65534 is a user like others.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
need setpriv unshare
umask 022
chmod 711 "$T"
many lib 4
as() {
  who=$1
  shift
  setpriv --reuid="$who" --regid="$who" --clear-groups "$@"
}
as 65534 "$B/bin/ckjit-compile" --version >/dev/null || skip "another user cannot run the programs of this build directory"
as 1234 unshare -U --map-user=65534 --map-group=65534 true 2>/dev/null || skip "no user namespaces here, or an old unshare"
chmod a+w "$T/lib/log"
for who in 65534 1234 4321; do
  mkdir -m 700 "$T/of$who"
  chown "$who:$who" "$T/of$who"
done
host=$T/hostile library=$T/lib/libkernels.so
export CK_JIT_CACHE_DIR="$T/of65534/cache"
is "a user 65534" 5 "$(as 65534 "$host" "$library" value 0 5)"

# another user's cache, which he lets everybody read
CK_JIT_CACHE_DIR=$T/of4321/cache
is "its entry" 5 "$(as 4321 "$host" "$library" value 0 5)"
chmod 755 "$T/of4321" "$T/of4321/cache"
theirs=$T/of4321/cache
CK_JIT_CACHE_DIR=$T/of1234/cache
is "the user's own" 1005 "$(as 1234 "$host" "$library" value 1 5)"
# unmapped NAME WORDS…: in a namespace in which the user 1234 is 65534
unmapped() {
  as 1234 unshare -U --map-user=65534 --map-group=65534 "$@" 2>&1
}
before=$(started lib)
! CK_JIT_CACHE_READONLY_DIR=$theirs unmapped "$host" "$library" value 0 5 >"$T/out" || fail "loaded: $(cat "$T/out")"
has "read-only" "CK_JIT_CACHE_READONLY_DIR: $theirs belongs to a user id that stands for every user whom this user namespace does not map" "$T/out"
has "own" "the cache directory $T/of1234/cache belongs to a user id that stands for every user" "$T/out"
has "what to do" "run this under another id, or in a namespace that maps all ids" "$T/out"
! as 1234 unshare -U "$host" "$library" value 1 5 >"$T/out" 2>&1 || fail "without a map: loaded"
has "without a map" "belongs to a user id that stands for every user" "$T/out"
is "compiles" "$before" "$(started lib)"
is "as root of a namespace" 1005 "$(as 1234 unshare -U --map-root-user "$host" "$library" value 1 5)"

# the programs
cp "$B/bin/ckjit-prebuild" "$T/prebuild" # the checkout may be closed to others
! unmapped "$T/prebuild" status --cache-dir "$T/of1234/cache" >"$T/out" || fail "ckjit-prebuild status"
has "ckjit-prebuild" "stands for every user" "$T/out"
gcc -std=gnu11 -D_GNU_SOURCE -O1 -I"$here/.." "$here/unit/runtime_trust.c" -o "$T/trust"
unmapped "$T/trust" "$T" of1234 of4321 >"$T/out"
has "paths" "belongs to a user" "$T/out"
lacks "paths" ": trusted" "$T/out"
