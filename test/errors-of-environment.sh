#!/bin/sh
# What fails for want of something in the environment says what that is: without /dev/null no program can be started, and with few
# descriptors nothing can be opened. Neither is said of ckjit's programs, of the compiler or of who could have written a file.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need prlimit
library lib
driver=$T/lib/driver

# few descriptors: it works, or says so
worked=
for n in 4 5 6 7 8 9 10 12 14 16 24 32; do
  rm -rf "$T/cache"
  # shellcheck disable=SC2094
  if prlimit --nofile=$n "$driver" value 0 5 >"$T/out" 2>&1; then
    worked=$n
    is "value with $n descriptors" 1005 "$(tail -n 1 "$T/out")"
  elif ! grep -qi "too many open files\|error 24\|ulimit -n" "$T/out"; then
    fail "with $n descriptors: $(cat "$T/out")"
  fi
  lacks "with $n descriptors" "another user could have" "$T/out"
done
[ "$worked" = 32 ] || fail "with 32 descriptors: $(cat "$T/out")"
rm -rf "$T/cache"
prlimit --nofile=5 "$driver" value 0 5 >"$T/out" 2>&1 && fail "5 descriptors were enough"
has "5 descriptors" "this process may have 5 (ulimit -n" "$T/out"

# a name of the build that cannot be examined
LIB_BUILD_ROOT=$T/built LIB_COMPILE=$T/built/ckjit-compile library other
mkdir "$T/built"
mv "$T/other/ck_jit/"* "$T/built"
rmdir "$T/other/ck_jit"
for n in 4 5 6; do
  prlimit --nofile=$n "$T/other/driver" value 0 5 >"$T/out" 2>&1 && continue
  lacks "a name of the build, $n descriptors" "another user could have" "$T/out"
done

if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
  echo "not tried: a machine without /dev/null"
  exit 0
fi
# without COMMAND…: in a name space where /dev has nothing
without() {
  # shellcheck disable=SC2016
  unshare -m sh -c 'mount -t tmpfs none /dev && exec "$@"' sh "$@"
}
rm -rf "$T/cache"
without "$driver" value 0 5 >"$T/out" 2>&1 && fail "a first call without /dev/null"
has "no /dev/null" "/dev/null cannot be opened: No such file or directory: no program can be started without it" "$T/out"
without "$B/bin/ckjit-compile" --hipcc "$T/shim" --blob-source "$T/lib/ck_jit/src/value0.cu" --blob-flags "-I$unit -DVERSION=1" \
  --output "$T/value0.so" >"$T/out" 2>&1 && fail "a compile without /dev/null"
has "ckjit-compile" "/dev/null cannot be opened: No such file or directory" "$T/out"
# shellcheck disable=SC2016
without sh -c '"$@" <&-' sh "$B/bin/ckjit" cache >"$T/out" 2>&1 && fail "ckjit without standard input and /dev/null"
has "a closed stream" "/dev/null cannot be opened, in place of standard input, which is closed: No such file or directory" "$T/out"
without "$B/bin/ckjit-prebuild" doctor >"$T/out" 2>&1 && fail "doctor finds nothing wrong without /dev/null"
has "doctor" "error    /dev/null      cannot open it: No such file or directory" "$T/out"
lacks "doctor" "install ckjit again" "$T/out"
