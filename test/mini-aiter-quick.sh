#!/bin/sh
# quick: the library gets another runtime, in a work directory that was moved; it compiles nothing else, and kernels that
# are cached stay good.
# tier: all
# timeout: 600
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
full fwd
cp -r "$full/w" "$T/w"
export CK_JIT_HIPCC="$T/counting-hipcc"
check "$full/i" --only fwd_d64_fp32_nbias_nmask_lse
[ "$(compiled)" = 1 ] || fail 'not one compile at the first call'
cp -r "$B/share/ckjit/runtime" "$T/runtime"
echo '__attribute__((used)) static const char marker[] = "the runtime of this test";' >>"$T/runtime/ck_jit_runtime.c"
CK_JIT_RUNTIME_SRC=$T/runtime/ck_jit_runtime.c "$B/bin/ckjit-build" quick --tmp-dir "$T/w" --install-dir "$T/i" \
  >"$T/out" 2>&1 || fail "quick: $(cat "$T/out")"
grep -q 'the runtime of this test' "$T/i/libmha_fwd.so" || fail 'it is not the new runtime'
: >"$T/compiled"
check "$T/i" --only fwd_d64_fp32_nbias_nmask_lse
[ "$(compiled)" = 0 ] || fail 'the kernel was compiled again'
