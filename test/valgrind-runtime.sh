#!/bin/sh
# memcheck: a host that calls kernels, compiled and from the cache, right and failing, from several threads and in forked
# children, loses no memory and no descriptor.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/valgrind_fixture.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 16
touch "$T/lib/control/k15.fail"
# host MODE…
host() {
  memcheck "$T/hostile" "$T/lib/libkernels.so" "$@"
}
is "compiled" 5 "$(host value 0 5)"
clean "compiled"
is "cached" 5 "$(CK_JIT_VERBOSE=1 host value 0 5 2>/dev/null)"
clean "cached"
host value 15 5 >"$T/out" && fail "k15 compiles"
has "failing" "k15: the compiler failed" "$T/out"
clean "failing"
is "threads" $((8 * 6000)) "$(host threads 8 4)"
clean "threads"
touch "$T/lib/control/k15.hold"
is "errors" 1 "$(host errors 8 15 "$T/lib/control/k15.hold" | grep -c '^8 times: ckjit: k15: ')"
clean "errors"
is "fork" "5001 5002 6004 11003 " "$(host fork 5 | sort -n | tr '\n' ' ')"
clean "fork"
CK_JIT_ROOT=/nonexistent host value 7 5 >"$T/out" && fail "no sources"
clean "no sources"
is "no cache" 7005 "$(CK_JIT_CACHE_DIR=/proc/nonexistent host value 7 5)"
clean "no cache"
head -c 5000 "$T/cache/k0.so" >"$T/cut" && cp "$T/cut" "$T/cache/k0.so"
is "damaged" 5 "$(host value 0 5)"
clean "damaged"
