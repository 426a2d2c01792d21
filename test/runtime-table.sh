#!/bin/sh
# The in-process table can be switched off, so that each call looks the kernel up again, and bounded, so that the one seen longest
# ago makes room and is looked up by its next call. What a thread may be in stays mapped.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
many lib 6
lib=$T/lib/libkernels.so
stub() {
  printf 'stub:_Z6value_ILi%sEEii:%s' "$1" "$2"
}
# loads: what was loaded, in order, from the messages in $T/err
loads() {
  sed -n 's/^ckjit: \(k[0-9]\): loaded from .*/\1/p' "$T/err" | tr '\n' ' '
}
export CK_JIT_VERBOSE=1

# switched on: once
is "on" "1 2 3 " "$(api "open:$lib" "$(stub 0 1)" "$(stub 0 2)" "$(stub 0 3)" 2>"$T/err" | tr '\n' ' ')"
is "loads, on" "k0 " "$(loads)"

# off: each call, and what is in the cache now
export CK_JIT_DISABLE_MEMORY_CACHING=1
is "off" "1 2 cached 3 " "$(api "open:$lib" "$(stub 0 1)" "$(stub 0 2)" state:k0 "$(stub 0 3)" 2>"$T/err" | tr '\n' ' ')"
is "loads, off" "k0 k0 k0 " "$(loads)"
is "compiles, off" 1 "$(started lib)"
api "open:$lib" "$(stub 0 1)" "remove:$T/cache/k0.so" "$(stub 0 2)" "$(stub 0 3)" maps:r-xp >"$T/out" 2>"$T/err"
is "removed" "k0 k0 k0 " "$(loads)"
is "compiles, removed" 2 "$(started lib)"
# replaced by another file of the same build id, in place of the one that is loaded
cp "$T/cache/k0.so" "$T/other.so"
rm "$T/err"
api "open:$lib" "$(stub 0 1)" "until:$T/go" "$(stub 0 2)" maps:cache >"$T/out" 2>"$T/err" &
await 'k0 is not loaded' grep -qs loaded "$T/err"
mv "$T/other.so" "$T/cache/k0.so"
touch "$T/go"
wait
is "two objects are mapped" 2 "$(($(tail -n 1 "$T/out") / 5))"
: >"$T/lib/log"
is "both off" "1 2 " "$(CK_JIT_DISABLE_FILE_CACHING=1 api "open:$lib" "$(stub 0 1)" "$(stub 0 2)" 2>"$T/err" | tr '\n' ' ')"
is "compiles, both off" 2 "$(started lib)"
is "threads, both off" $((8 * 6000)) "$(CK_JIT_DISABLE_FILE_CACHING=1 hostile lib threads 8 4 2>"$T/err")"
unset CK_JIT_DISABLE_MEMORY_CACHING
is "switched on later" "1 2 3 " "$(api "open:$lib" set:CK_JIT_DISABLE_MEMORY_CACHING=1 "$(stub 0 1)" "$(stub 0 1)" \
  set:CK_JIT_DISABLE_MEMORY_CACHING=0 "$(stub 0 2)" "$(stub 0 3)" 2>"$T/err" | sed 1d | tr '\n' ' ')"
is "loads, switched on later" "k0 k0 k0 " "$(loads)"

# bounded
export CK_JIT_MEMORY_CACHE_MAX=2
is "2 of 3" "0 1000 2000 0 1000 2000 cached loaded loaded " "$(api "open:$lib" "$(stub 0 0)" "$(stub 1 0)" "$(stub 2 0)" "$(stub 0 0)" \
  "$(stub 1 0)" "$(stub 2 0)" state:k0 state:k1 state:k2 2>"$T/err" | tr '\n' ' ')"
is "loads, 2 of 3" "k0 k1 k2 k0 k1 k2 " "$(loads)"
is "2 of 2" "0 1000 0 1000 " "$(api "open:$lib" "$(stub 0 0)" "$(stub 1 0)" "$(stub 0 0)" "$(stub 1 0)" 2>"$T/err" | tr '\n' ' ')"
is "loads, 2 of 2" "k0 k1 " "$(loads)"
api "open:$lib" compile:k0 compile:k1 compile:k0 compile:k2 state:k0 state:k1 state:k2 call:0:5 call:1:5 >"$T/out" 2>"$T/err"
is "what a handle was asked for last stays" "loaded cached loaded " "$(sed -n '5,7p' "$T/out" | tr '\n' ' ')"
is "handles of what has left" "5 1005 " "$(tail -n 2 "$T/out" | tr '\n' ' ')"
is "1" "0 1000 0 1000 " "$(CK_JIT_MEMORY_CACHE_MAX=1 api "open:$lib" "$(stub 0 0)" "$(stub 1 0)" "$(stub 0 0)" "$(stub 1 0)" \
  2>"$T/err" | tr '\n' ' ')"
is "loads, 1" "k0 k1 k0 k1 " "$(loads)"
is "many threads" $((16 * 15000)) "$(CK_JIT_MEMORY_CACHE_MAX=1 hostile lib threads 16 6 2>"$T/err")"
: >"$T/lib/log"
is "without files" "0 1000 2000 0 " "$(CK_JIT_DISABLE_FILE_CACHING=1 api "open:$lib" "$(stub 0 0)" "$(stub 1 0)" "$(stub 2 0)" \
  "$(stub 0 0)" 2>"$T/err" | tr '\n' ' ')"
is "compiles, without files" 3 "$(started lib)"
is "0 is no limit" "k0 k1 k2 " "$(CK_JIT_MEMORY_CACHE_MAX=0 api "open:$lib" "$(stub 0 0)" "$(stub 1 0)" "$(stub 2 0)" "$(stub 0 0)" \
  2>"$T/err" >"$T/out"; loads)"
for bad in many -1 2x 99999999999999999999; do
  CK_JIT_MEMORY_CACHE_MAX=$bad api "open:$lib" "$(stub 0 0)" "$(stub 1 0)" "$(stub 2 0)" "$(stub 0 0)" 2>"$T/err" >"$T/out"
  is "'$bad' is said once" 1 "$(grep -c "^ckjit: warning: CK_JIT_MEMORY_CACHE_MAX: expected a number of kernels, found '$bad'" "$T/err")"
  is "'$bad' is no limit" "k0 k1 k2 " "$(loads)"
done
