#!/bin/sh
# Arguments of every class reach a kernel unharmed through its first call, which saves and restores them, and later ones.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib

is "results" ok "$("$T/lib/driver" arguments)"
is "compiles" 1 "$(compiles)"

# an exception leaves through the trampoline into the caller of the stub
touch "$SHIM_FAIL"
"$T/lib/driver" twice 0 5 >"$T/out"
is "exceptions" 2 "$(grep -c '^error: ckjit: value0: ' "$T/out")"

# the runtime compiled by clang, as hipcc's is, and without optimisation
if command -v clang >/dev/null; then
  rm "$SHIM_FAIL"
  rm -rf "$T/cache"
  LIB_CC=clang LIB_CFLAGS="${LIB_CFLAGS-} -O0" library other
  is "results, clang" ok "$("$T/other/driver" arguments)"
  touch "$SHIM_FAIL"
  "$T/other/driver" twice 0 5 >"$T/out"
  is "exceptions, clang" 2 "$(grep -c '^error: ckjit: value0: ' "$T/out")"
fi
