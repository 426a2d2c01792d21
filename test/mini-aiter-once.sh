#!/bin/sh
# mini-aiter's fwd is built by ckjit-build from end to end; a call compiles its kernel and no other, and the next process compiles none. The
# whole road, with the stock build to compare with: mini-aiter-fwd.sh.
# tier: check
# seconds: 44
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
full fwd
kernel=fwd_d64_fp32_nbias_nmask_lse
[ "$("$full/i/ck_jit/ckjit-prebuild" list | wc -l)" = "$(grep -c '"kind":"blob"' "$full/w/manifest.json.ndjson")" ] || fail 'not every blob is in the manifest'
CK_JIT_HIPCC=/nonexistent python3 "$example/check.py" "$full/i" --only $kernel >"$T/out" 2>&1 && fail 'a kernel came without a compiler'
export CK_JIT_HIPCC="$T/counting-hipcc"
check "$full/i" --only $kernel
[ "$(compiled)" -gt 0 ] && [ "$(find "$CK_JIT_CACHE_DIR" -name '*.so' | wc -l)" = 1 ] || fail "not one kernel: $(ls -A "$CK_JIT_CACHE_DIR")"
CK_JIT_HIPCC=/nonexistent check "$full/i" --only $kernel
