#!/bin/sh
# No descriptor is left, or no process may be started, at the first call: an error that says so, or a right result where
# what is left suffices; nothing is lost, and once there is room again the next call is right.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 24

# limited NAME WANTED MODE…: right twice, or the error WANTED and then right
limited() {
  name=$1 wanted=$2
  shift 2
  hostile lib "$@" >"$T/out" || fail "$name: $(cat "$T/out")"
  is "$name: the next call" "$right" "$(tail -n 1 "$T/out")"
  first=$(sed '$d' "$T/out")
  case $first in
  "$right") ;;
  "error: ckjit: k"*"$wanted"*) errors=$((errors + 1)) ;;
  *) fail "$name: $first" ;;
  esac
}
errors=0
for free in 0 1 2 3 4 5 6 7; do
  right=${free}005
  [ $free != 0 ] || right=5
  limited "$free descriptors, to be compiled" "Too many open files: this process may have" descriptors $free $free 5
done
[ $errors -gt 0 ] || fail "there were always descriptors enough"
errors=0
for free in 0 1 2 3 4; do
  right=${free}005
  [ $free != 0 ] || right=5
  limited "$free descriptors, in the cache" "Too many open files" descriptors $free $free 5
done
[ $errors -gt 0 ] || fail "there were always descriptors enough for the cache"
is "compiles" 8 "$(started lib)"

# Processes are not counted for root.
errors=0 right=8005
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || skip "no setpriv here"
  chmod 711 "$T"
  mkdir -m 700 "$T/theirs"
  chown 65534:65534 "$T/theirs"
  chmod a+w "$T/lib/log"
  export CK_JIT_CACHE_DIR="$T/theirs"
  as_user() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  }
  as_user "$B/bin/ckjit-compile" --version >/dev/null || skip "another user cannot run the programs of this build directory"
  # shellcheck disable=SC2329 # limited calls it
  hostile() {
    library_=$T/$1/libkernels.so
    shift
    as_user "$T/hostile" "$library_" "$@"
  }
fi
limited "no processes" "ckjit-compile cannot be run: Resource temporarily unavailable" nproc 8 5
is "errors without processes" 1 $errors
