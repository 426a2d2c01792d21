#!/bin/sh
# With CK_JIT_DISABLE_FILE_CACHING there is no cache to build into: build says so and does nothing; list and clean work.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_DISABLE_FILE_CACHING=1
status=0
prebuild build blob_1 2>"$T/err" || status=$?
[ $status = 1 ] || fail "status $status"
grep -q "^ckjit-prebuild: error: CK_JIT_DISABLE_FILE_CACHING is set: no library would read the cache $T/cache, into which build compiles; unset it" "$T/err" || fail "$(cat "$T/err")"
[ ! -e "$T/cache" ] || fail "a cache was made"
[ "$(prebuild list | wc -l)" = 6 ] || fail "list"
CK_JIT_DISABLE_FILE_CACHING=0 prebuild build blob_1 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
[ -e "$T/cache/blob_1.so" ] || fail "nothing was built"
prebuild clean --all >"$T/out" || fail "clean: $(cat "$T/out")"
