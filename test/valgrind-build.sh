#!/bin/sh
# memcheck over ckjit-build home.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/valgrind_fixture.sh"
. "$here/unit/build_fixture.sh"
rocm "$T/rocm"
unset CK_JIT_HIPCC
memcheck "$B/bin/ckjit-build" home --dir "$T/home" --rocm "$T/rocm" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
clean "home"
memcheck "$B/bin/ckjit-build" home --dir "$T/home" --rocm "$T/rocm" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
clean "home, again"
