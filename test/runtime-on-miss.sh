#!/bin/sh
# CK_JIT_ON_MISS=error: a kernel that no cache holds fails at once. The message has the kernel, the caches that were looked into and the
# command that builds it; nothing is started and nothing written. What is cached works, also where no cache can be made.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver lib=$T/lib/libkernels.so
spy "$T/lib/ck_jit/ckjit-compile"
# missed COMMAND…: it fails, and starts nothing
missed() {
  : >"$T/lib/ck_jit/notes"
  CK_JIT_ON_MISS=error "$@" >"$T/out" 2>"$T/err" && fail "$*: it has not failed: $(cat "$T/out")"
  [ ! -s "$T/lib/ck_jit/notes" ] || fail "$*: ckjit-compile was started: $(cat "$T/lib/ck_jit/notes")"
}
export CK_JIT_CACHE_READONLY_DIR="$T/image"
mkdir -m 755 "$T/image"
missed "$driver" value 0 5
is "lines" "error: ckjit: value0: it is not compiled, because CK_JIT_ON_MISS is error, and no cache has it with build id [ckjit help on-miss]
looked into: $T/image, $T/cache
to build it: $B/bin/ckjit-prebuild build --arch 'gfx942;gfx950' --cache-dir $T/cache value0" "$(sed 's/ [0-9a-f]\{48\} / /' "$T/out")"
is "left in the cache" "" "$(find "$T/cache" -mindepth 1 ! -name .stats)"
CK_JIT_ON_MISS=error "$driver" twice 0 1 >"$T/out" || :
is "each call fails" 2 "$(grep -c '^error: ckjit: value0: it is not compiled' "$T/out")"
CK_JIT_ON_MISS=error "$driver" errors 8 >"$T/out"
is "each thread fails" "8 threw" "$(tail -n 1 "$T/out")"
CK_JIT_ON_ERROR=abort missed "$driver" value 0 5
has "printed" "ckjit: error: value0: it is not compiled, because CK_JIT_ON_MISS is error" "$T/err"
# the command is that of the install, if it has one
cp "$B/bin/ckjit-prebuild" "$T/lib/ck_jit/"
: >"$T/lib/ck_jit/ck_jit_manifest.json"
missed "$driver" value 0 5
has "the install's" "to build it: $T/lib/ck_jit/ckjit-prebuild build --manifest $T/lib/ck_jit/ck_jit_manifest.json --arch " "$T/out"

# compile, nothing and what it does not know compile; the last is said once, and only if something is missing
is "compile" 1005 "$(CK_JIT_ON_MISS=compile "$driver" value 0 5 2>"$T/err")"
is "said of it" "" "$(cat "$T/err")"
[ -s "$T/lib/ck_jit/notes" ] || fail "a start of ckjit-compile is not seen"
is "unknown" 1105 "$(CK_JIT_ON_MISS=eror "$driver" value 1 5 2>"$T/err")"
is "said" "ckjit: warning: CK_JIT_ON_MISS: expected compile or error, found 'eror'; using compile" "$(cat "$T/err")"
is "unknown, cached" 1105 "$(CK_JIT_ON_MISS=eror "$driver" value 1 5 2>"$T/err")"
is "not said" "" "$(cat "$T/err")"

# what is there is loaded, and counted; what is not is not counted
CK_JIT_CAPTURE=$T/capture CK_JIT_ON_MISS=error "$driver" value 0 5 >/dev/null || fail "capture, cached"
CK_JIT_CAPTURE=$T/capture missed "$driver" value 2 5
is "captured" value0 "$(grep -v '^#' "$T/capture" | cut -f 4)"
# another architecture's is not that one, and is mentioned
CK_JIT_ARCH=gfx90a missed "$driver" value 0 5
has "architecture" "--arch gfx90a" "$T/out"
has "variant" "$T/cache has it from another compiler, with other system headers or for other architectures" "$T/out"

# libckjit.so
missed api "open:$lib" compile:value2
has "status" "CKJIT_E_MISS: value2: it is not compiled" "$T/out"
missed api "open:$lib" compile:value2:store
has "store" "CKJIT_E_MISS: value2: it is not compiled" "$T/out"
missed api "open:$lib" compile:value0:fresh
has "fresh" "looked into: no cache, because a fresh compile was asked for" "$T/out"
has "fresh" "CKJIT_E_MISS: value0" "$T/out"
missed api "open:$lib" many:2:value0,value2
has "many" "CKJIT_E_FAILED: 1 of 2 kernels failed; the first of them: value2: it is not compiled" "$T/out"
is "states" "absent cached 1005 " "$(CK_JIT_ON_MISS=error api "open:$lib" state:value2 state:value0 compile:value0 call:0:5 | grep -v handle | tr '\n' ' ')"
CK_JIT_ON_MISS=error api "open:$lib" "set:CK_JIT_CACHE_DIR=/proc/none" set:CK_JIT_CACHE_READONLY_DIR= compile:value2 >"$T/out" && fail "no cache"
has "no cache" "looked into: no cache: there is no directory for one" "$T/out"
CK_JIT_DISABLE_FILE_CACHING=1 missed "$driver" value 0 5
has "no file cache" "looked into: no cache, because CK_JIT_DISABLE_FILE_CACHING is set" "$T/out"

# a container without a place to write to
mv "$T/cache/value0.so" "$T/image"
is "cannot be made" 1005 "$(CK_JIT_CACHE_DIR=/proc/none CK_JIT_ON_MISS=error "$driver" value 0 5)"
is "nor be named" 1005 "$(env -u CK_JIT_CACHE_DIR -u XDG_CACHE_HOME HOME=/proc/none CK_JIT_ON_MISS=error "$driver" value 0 5)"
CK_JIT_CACHE_DIR=/proc/none missed "$driver" value 1 5
has "that one alone" "looked into: $T/image$" "$(sed -n 's/.*\(looked into: .*\)/\1$/p' "$T/out" >"$T/line"; echo "$T/line")"
# one that another could write to is refused as ever
chmod 777 "$T/cache"
missed "$driver" value 1 5
has "untrusted" "is open to other users" "$T/out"
