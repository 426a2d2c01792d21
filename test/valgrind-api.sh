#!/bin/sh
# memcheck: a program that uses libckjit.so loses no memory and no descriptor, whether what it asks for is done or fails, from a
# cache, from unlinked files or cancelled.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/valgrind_fixture.sh"
. "$here/unit/runtime_fixture.sh"
many lib 6
echo broken >"$T/lib/control/k5.fail"
lib=$T/lib/libkernels.so
api "open:$lib" list >"$T/out" # which builds it
# run WHAT FAILURES COMMAND…
run() {
  what=$1 wanted=$2 status=0
  shift 2
  memcheck "$T/api" "$@" >"$T/out" 2>&1 || status=$?
  is "$what: $(cat "$T/out"): failures" "$wanted" "$status"
  clean "$what"
}
run "one" 0 "open:$lib" list info:k0 compile:k0 call:0:5 compile:k1:fresh call:1:5 compile:k2:store state:k2 release:0 release:1 close
run "errors" 8 "open:$lib" compile:k5 compile:k5:fresh compile:k5:store find:zz open:/nonexistent open: compile:k0::-DX \
  prewarm:/nonexistent close
printf 'k1\nk2\nk9\n' >"$T/list"
run "many" 3 quiet "open:$lib" many:2:all prewarm:"$T/list" prewarm:"$T/list":skip batch:2:all cancel wait:-1 free close
run "closed first" 0 "open:$lib" compile:k3:fresh compile:k4 close call:0:1 release:0 release:1
export CK_JIT_DISABLE_FILE_CACHING=1
run "unlinked" 1 "open:$lib" compile:k0 call:0:5 threads:4:_Z6value_ILi1EEii:1 compile:k5 release:0 close
run "nothing cached" 0 set:CK_JIT_DISABLE_MEMORY_CACHING=1 "open:$lib" stub:_Z6value_ILi1EEii:1 stub:_Z6value_ILi1EEii:1 close
unset CK_JIT_DISABLE_FILE_CACHING
run "bounded" 0 set:CK_JIT_MEMORY_CACHE_MAX=1 quiet "open:$lib" many:2:k0,k1,k2 stub:_Z6value_ILi1EEii:1 stub:_Z6value_ILi0EEii:1 close
