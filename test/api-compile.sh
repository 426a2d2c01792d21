#!/bin/sh
# A kernel that was compiled by libckjit.so is not compiled again by its first call, and the other way round. Its state is seen
# while it is compiled, by this process or another. A handle stays what it is when the cache is cleaned or filled anew; a fresh
# one is code of its own.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
many lib 6
lib=$T/lib/libkernels.so
stub=_Z6value_ILi

is "by handle, then by call" "absent handle 0 loaded 7 7 " "$(api "open:$lib" state:k0 compile:k0 state:k0 call:0:7 \
  "stub:${stub}0EEii:7" | tr '\n' ' ')"
is "by call, then by handle" "1007 loaded handle 0 1008 " "$(api "open:$lib" "stub:${stub}1EEii:7" state:k1 compile:k1 \
  call:0:8 | tr '\n' ' ')"
is "compiles" 2 "$(started lib)"
is "next process" "cached handle 0 loaded 9 " "$(api "open:$lib" state:k0 compile:k0 state:k0 call:0:9 | tr '\n' ' ')"
is "stored only" "stored cached 0 stored " "$(api "open:$lib" compile:k2:store state:k2 maps:k2.so compile:k2:store | tr '\n' ' ')"
is "compiles, then" 3 "$(started lib)"

# states
touch "$T/lib/control/k3.hold"
api "open:$lib" compile:k3 >"$T/other" &
other=$!
await 'k3 is not compiled' has_started lib 1 k3
is "by another process" "compiling" "$(api "open:$lib" state:k3)"
is "of a thread" "absent compiling handle 0 loaded 3001 " "$(rm -f "$T/cache/k4.so"
  touch "$T/lib/control/k4.hold"
  api quiet "open:$lib" state:k4 batch:1:k4 "until:$T/lib/log:start k4" state:k4 "remove:$T/lib/control/k4.hold" wait:-1 result:0 state:k4 \
    "remove:$T/lib/control/k3.hold" "stub:${stub}3EEii:1" free | grep -v 'done' | tr '\n' ' ')"
wait $other
is "who asked does not hold the lock" "" "$(find "$T/cache/.locks" -type f ! -name capacity)"
is "once" 1 "$(started lib k3)"
chmod 755 "$T/cache"
api "open:$lib" state:k0 >"$T/out" && fail "a cache that is open to all"
has "cache" "CKJIT_E_FAILED: k0: the cache directory $T/cache is open to other users" "$T/out"
chmod 700 "$T/cache"

# handles live on
is "cleaned and compiled anew" "handle 0 7 handle 1 8 7 9 " "$(api "open:$lib" compile:k0 call:0:7 "remove:$T/cache/k0.so" \
  compile:k0:fresh call:1:8 call:0:7 "stub:${stub}0EEii:9" | tr '\n' ' ')"
: >"$T/lib/log"
is "fresh" "handle 0 handle 1 5 5 $((2 * maps)) $maps 0 " "$(api "open:$lib" compile:k5:fresh compile:k5:fresh call:0:-4995 call:1:-4995 \
  maps:memfd release:0 maps:memfd release:1 maps:memfd | tr '\n' ' ')"
is "fresh ones always compile" 2 "$(started lib)"
is "and are not in the table" "handle 0 absent " "$(api "open:$lib" compile:k5:fresh state:k5 | tr '\n' ' ')"
[ ! -e "$T/cache/k5.so" ] || fail "a fresh handle filled the cache"
find "$T/cache" | sort >"$T/before"
CK_JIT_CACHE_DIR=/nonexistent/cache api "open:$lib" compile:k5:fresh >"$T/out" || fail "needs a cache: $(cat "$T/out")"
find "$T/cache" | sort | cmp -s "$T/before" - || fail "the cache was changed"

# errors
echo "what k5 says" >"$T/lib/control/k5.fail"
for how in "" :fresh :store; do
  api "open:$lib" "compile:k5$how" >"$T/out" && fail "k5$how compiles"
  has "error$how" "CKJIT_E_FAILED: k5: ckjit-compile: error: k5: the compiler failed with status 4" "$T/out"
  has "error$how" "what k5 says" "$T/out"
done
CK_JIT_ON_ERROR=abort api "open:$lib" compile:k5 >"$T/out" && fail "k5 compiles"
has "no abort" "CKJIT_E_FAILED: k5" "$T/out"
rm "$T/lib/control/k5.fail"
is "again" "handle 0" "$(api "open:$lib" compile:k5)"
api "open:$lib" compile:k0::-DX >"$T/out" && fail "flags without fresh"
has "flags" "CKJIT_E_INVALID: compiler_flags and archs in ckjit_options are for CKJIT_FRESH" "$T/out"
api "open:$lib" compile:k0 "symbol:0:${stub}1EEii:5" >"$T/out" && fail "another kernel's function"
has "another's function" "CKJIT_E_NOT_FOUND: k0: it has no function with the mangled name '${stub}1EEii'" "$T/out"
mv "$T/lib/ck_jit/src/k4.cu" "$T/k4.cu"
api "open:$lib" compile:k4:fresh >"$T/out" && fail "without a source"
has "source" "CKJIT_E_FAILED: k4: its source cannot be read: $T/lib/ck_jit/src/k4.cu" "$T/out"
