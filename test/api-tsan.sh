#!/bin/sh
# ThreadSanitizer finds nothing in libckjit.so and the runtime: many threads that find, ask, compile and call the same kernels, by
# handle and by stub, batches with callbacks, a bounded table, unlinked files.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
echo 'int main(void) { return 0; }' >"$T/t.c"
gcc -fsanitize=thread "$T/t.c" -o "$T/t" 2>/dev/null && "$T/t" || skip "no ThreadSanitizer here"
LIB_CFLAGS="-fsanitize=thread" SHIM_MS=50 many lib 8
gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -I"$top" "$unit/runtime_api.c" "$top"/api/*.c -o "$T/api" -ldl -pthread
lib=$T/lib/libkernels.so
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
run() {
  api quiet "open:$lib" "$@" >"$T/out" 2>&1 || fail "$*: $(cat "$T/out")"
}
run threads:32:_Z6value_ILi0EEii:3 threads:32:_Z6value_ILi1EEii:3 many:4:all
has "sum" 96 "$T/out"
is "compiles" 8 "$(started lib)"
rm -rf "$T/cache"
run batch:4:all threads:16:_Z6value_ILi7EEii:1 threads:16:_Z6value_ILi0EEii:1 poll wait:-1 result:3 call:0:5 free release:0 close
has "while a batch runs" $((16 * 7001)) "$T/out"
run batch:3:all cancel free
export CK_JIT_MEMORY_CACHE_MAX=2
run threads:32:_Z6value_ILi0EEii:3 many:8:all threads:32:_Z6value_ILi1EEii:3 many:8:all
export CK_JIT_DISABLE_FILE_CACHING=1
rm -rf "$T/cache"
run threads:32:_Z6value_ILi0EEii:3 many:8:all threads:32:_Z6value_ILi1EEii:3 many:8:all:fresh
unset CK_JIT_MEMORY_CACHE_MAX
: >"$T/lib/log"
run threads:32:_Z6value_ILi2EEii:3 many:8:all
is "compiles, unlinked" 8 "$(started lib)"
