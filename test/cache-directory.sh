#!/bin/sh
# A cache directory is the user's alone: another mode, another owner or a symbolic link is refused with the reason, by the library,
# by ckjit-compile and by ckjit-prebuild; one that is not there is made with mode 0700.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver
umask 022

is "value" 1005 "$("$driver" value 0 5)"
is "mode" 700 "$(stat -c %a "$T/cache")"

# refused WHY: nothing is loaded from there, and nothing compiled into it
refused() {
  : >"$SHIM_CALLS"
  "$driver" value 0 5 >"$T/out" && fail "a cache directory that $1 was used"
  has "the library" "the cache directory $CK_JIT_CACHE_DIR $1" "$T/out"
  status=0
  "$B/bin/ckjit-compile" --blob-source "$T/lib/ck_jit/src/value0.cu" --blob-flags "-I$unit -DVERSION=1" --cache \
    --output "$CK_JIT_CACHE_DIR/value0.so" 2>"$T/err" || status=$?
  is "ckjit-compile: status" 1 "$status"
  has "ckjit-compile" "the cache directory $CK_JIT_CACHE_DIR $1" "$T/err"
  is "compiles" 0 "$(compiles)"
}
for mode in 755 770 707 720 701; do
  chmod $mode "$T/cache"
  refused "is open to other users"
done
chmod 700 "$T/cache"
ln -s cache "$T/link"
CK_JIT_CACHE_DIR=$T/link refused "is a symbolic link"
CK_JIT_CACHE_DIR=$T/link/ "$driver" value 0 5 >"$T/out" && fail "a link was followed because of a slash"
if [ "$(id -u)" = 0 ]; then
  chown 12345 "$T/cache"
  refused "belongs to another user"
  chown 0 "$T/cache"
fi
is "again" 1005 "$("$driver" value 0 5)"
is "compiles" 0 "$(compiles)"
