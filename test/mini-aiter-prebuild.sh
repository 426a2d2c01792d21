#!/bin/sh
# ckjit-prebuild on a real installation: every form that a blob is named in; what it compiled, a call finds.
# tier: all
# seconds: 6
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
full fwd
cp -r "$full/i" "$T/i"
export CK_JIT_HIPCC="$T/counting-hipcc"
prebuild() {
  "$T/i/ck_jit/ckjit-prebuild" "$@" >"$T/out" 2>&1 || fail "prebuild $*: $(cat "$T/out")"
}
prebuild list
cp "$T/out" "$T/all"
a=$(sed -n '/^fmha_fwd_d64_fp32.*nbias_nmask_lse/p' "$T/all")
b=$(sed -n '/^fmha_fwd_d64_fp32.*nbias_nmask_nlse/p' "$T/all")
c=$(sed -n '/^fmha_fwd_splitkv_combine_d64_fp32.*_lse/p' "$T/all")
for stem in "$a" "$b" "$c"; do
  [ "$(echo "$stem" | grep -c .)" = 1 ] || fail "not one stem: '$stem' of $(cat "$T/all")"
done

prebuild build "$a"
check "$T/i" --only fwd_d64_fp32_nbias_nmask_lse
[ "$(compiled)" = 1 ] || fail 'the call compiled what prebuild had compiled'
printf '# two of them\n\n%s.cu\n' "$b" >"$T/list"
echo "/some/cache/$c.so" | prebuild build "$a.cpp" --blob-list "$T/list" "/gone/build/srcs/$a.cu" --blob-list -
[ "$(compiled)" = 2 ] || fail "b and c: $(cat "$T/out")"
prebuild list --all
[ "$(grep -c "known.cached" "$T/out")" = 3 ] || fail "three are cached: $(cat "$T/out")"

prebuild clean "$CK_JIT_CACHE_DIR/$a.so"
prebuild list "$a" "$b"
grep -q "$a.known.absent" "$T/out" && grep -q "$b.known.cached" "$T/out" || fail "clean of one: $(cat "$T/out")"
prebuild clean --blob-list "$T/list"
prebuild list "$b" "$c"
grep -q "$b.known.absent" "$T/out" && grep -q "$c.known.cached" "$T/out" || fail "clean of a list: $(cat "$T/out")"
echo "$c" | prebuild clean --blob-list -
[ -z "$(find "$CK_JIT_CACHE_DIR" -maxdepth 1 -name '*.so')" ] || fail "left: $(ls "$CK_JIT_CACHE_DIR")"
