#!/bin/sh
# A run with CK_JIT_CAPTURE says which kernels it used; `full --aot-list` links these, compiled, into the library. Where that is
# deployed, they need no compiler and no cache, an eleventh kernel still comes lazily, and every result is the stock library's.
# tier: long
# seconds: 129
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
used='fwd_d64_fp32_nbias_nmask_lse fwd_d64_fp32_nbias_mask_lse'
other=fwd_d64_bf16_nbias_nmask_lse
stock fwd
full fwd
for c in $used; do
  CK_JIT_CAPTURE=$T/capture check "$full/i" --only "$c" --reference "$stock"
done
[ "$(sed 1d "$T/capture" | wc -l)" = 2 ] || fail "not two kernels captured: $(cat "$T/capture")"
sed 1d "$T/capture" | lacks 'lines of another form' "^[1-9][0-9]*	1	[0-9]+\.[0-9]{3}	fmha_fwd_" - -vE

"$B/bin/ckjit-build" full --aiter-dir "$example" --gpu-archs gfx90a --api fwd --tmp-dir "$T/w" --install-dir "$T/i" \
  --aot-list "$T/capture" >"$T/out" 2>&1 || fail "full: $(cat "$T/out")"
grep -q 'ahead of time: 2 kernels of the list' "$T/out" || fail "summary: $(cat "$T/out")"
grep -q '; 2 compiles, 4 kept' "$T/out" || fail "more than the two kernels was compiled: $(cat "$T/out")"
rm -r "$CK_JIT_CACHE_DIR"
for c in $used; do
  CK_JIT_HIPCC=/nonexistent check "$T/i" --only "$c" --reference "$stock"
done
[ ! -e "$CK_JIT_CACHE_DIR" ] || fail "something was cached: $(ls -A "$CK_JIT_CACHE_DIR")"
export CK_JIT_HIPCC="$T/counting-hipcc"
check "$T/i" --only "$other" --reference "$stock"
[ "$(compiled)" = 1 ] || fail 'not one compile for the kernel that is not in the list'
"$T/i/ck_jit/ckjit-prebuild" list >"$T/list"
[ "$(wc -l <"$T/list")" = "$("$full/i/ck_jit/ckjit-prebuild" list | wc -l)" ] || fail 'kernels are gone from the manifest'

# quick keeps them; relink without a list takes them out again
"$B/bin/ckjit-build" quick --tmp-dir "$T/w" --install-dir "$T/i" >"$T/out" 2>&1 || fail "quick: $(cat "$T/out")"
rm -r "$CK_JIT_CACHE_DIR"
CK_JIT_HIPCC=/nonexistent check "$T/i" --only "${used%% *}"
"$B/bin/ckjit-build" relink --tmp-dir "$T/w" --install-dir "$T/i" >"$T/out" 2>&1 || fail "relink: $(cat "$T/out")"
check "$T/i" --only "${used%% *}" --reference "$stock"
[ "$(compiled)" = 1 ] || fail 'without a list the kernel is still linked'
