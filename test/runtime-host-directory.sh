#!/bin/sh
# The host changes its directory after it loaded the library by a relative name. The library's own root stays where the library
# is; a relative CK_JIT_CACHE_DIR counts from the directory at the call, a relative CK_JIT_ROOT from the library's. A directory
# that is gone hurts only who needs it.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 8
mkdir "$T/elsewhere" "$T/gone"
cd "$T/lib"
# relative MODE…: the library by a relative name
relative() {
  "$T/hostile" ./libkernels.so "$@"
}
is "library by a relative name" 5 "$(relative chdir "$T/elsewhere" 0 5)"
is "relative cache directory" 1005 "$(CK_JIT_CACHE_DIR=own/cache relative chdir "$T/elsewhere" 1 5)"
[ -s "$T/elsewhere/own/cache/k1.so" ] || fail "the cache is not below the directory at the call"
is "mode of the relative cache directory" 700 "$(stat -c %a "$T/elsewhere/own/cache")"
is "found again" 1006 "$(CK_JIT_CACHE_DIR=own/cache relative chdir "$T/elsewhere" 1 6)"
is "relative root" 2005 "$(CK_JIT_ROOT=../lib/ck_jit relative chdir "$T" 2 5)"
CK_JIT_ROOT=lib/ck_jit relative chdir "$T" 3 5 >"$T/out" && fail "a root that is not there"
has "relative root that is not there" "k3: its source cannot be read: $T/lib/lib/ck_jit/src/k3.cu" "$T/out"
is "compiles" 3 "$(started lib)"

cd "$T/gone"
rmdir "$T/gone"
is "directory gone" 4005 "$(hostile lib value 4 5 2>/dev/null)"
is "directory gone, relative cache directory" 5005 "$(CK_JIT_CACHE_DIR=own hostile lib value 5 5 2>"$T/err")"
has "directory gone, relative cache directory" "the cache directory own cannot be made: No such file" "$T/err"
