#!/bin/sh
# The holder of a lock is stopped, and all who wait for it lose patience at the same moment: each gets the entry, none destroys another's
# directory, the stopped one does no harm when it goes on, and no lock or directory is left. ROUNDS says how often (compile-takeover-long).
# tier: check
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/shim_fixture.sh"
need python3
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus"
shim "$T/fast" 1 "$T/template.so"
# shellcheck disable=SC2086 # no SEED: another one each time
python3 "$here/locks/takeover.py" "$B/bin/ckjit-compile" "$T/fast" "$T/template.so" "$T/rounds" "${ROUNDS-12}" 16 ${SEED-} >"$T/out" 2>&1 ||
  fail "$(cat "$T/out")"
cat "$T/out"
