#!/bin/sh
# What one process compiled the next loads, without a compiler. CK_JIT_VERBOSE says so, a line each.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib

CK_JIT_VERBOSE=1 "$T/lib/driver" value 1 4 >"$T/out" 2>"$T/err"
is "first" 1104 "$(cat "$T/out")"
has "verbose" "ckjit: value1: compiling: $T/lib/ck_jit/ckjit-compile --blob-source $T/lib/ck_jit/src/value1.cu" "$T/err"
has "verbose" "ckjit: value1: compiled in " "$T/err"
has "verbose" "ckjit: value1: loaded from $T/cache/value1.so" "$T/err"
is "lines" 3 "$(wc -l <"$T/err")"
is "mode of the cache" 700 "$(stat -c %a "$T/cache")"

is "second" 1104 "$(CK_JIT_VERBOSE=1 CK_JIT_HIPCC=/nonexistent "$T/lib/driver" value 1 4 2>"$T/err")"
is "what the second does" "ckjit: value1: loaded from $T/cache/value1.so" "$(cat "$T/err")"
is "compiles" 1 "$(compiles)"

# the default places, and the name
HOME=$T/home XDG_CACHE_HOME='' CK_JIT_CACHE_DIR='' "$T/lib/driver" value 1 4 >/dev/null
XDG_CACHE_HOME=$T/xdg CK_JIT_CACHE_DIR='' CK_JIT_NAME=other "$T/lib/driver" value 1 4 >/dev/null
[ -e "$T/home/.cache/ck_jit/value1.so" ] || fail "nothing in \$HOME/.cache/ck_jit"
[ -e "$T/xdg/other/value1.so" ] || fail "nothing in \$XDG_CACHE_HOME/other"
