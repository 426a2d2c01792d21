#!/bin/sh
# Making a launcher of examples/fmha-bwd compiles its two or three blobs, each once; of convert_dq it asks nothing that launches, so its kernel is
# compiled when it is first run. None is for a second launcher or in a further process, and of another tile only what it does not share.
# If they cannot be compiled, the launcher is not made.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy
export CK_JIT_VERBOSE=1

# compiled STEM...: $T/err tells of just these compiles
compiled() {
  sed -n 's/^ckjit: \(.*\): compiled in .*/\1/p' "$T/err" | sort >"$T/compiled"
  printf '%s\n' "$@" | sed '/^$/d' | sort | cmp -s - "$T/compiled" || fail "compiled: $(cat "$T/compiled"); expected: $*"
}
chosen() {
  sed -n 's/^kernels //p' "$T/out" | tr '@' '\n'
}
dot=fmha_bwd_dot_do_o_d64_fp32_group_gfx9 convert=fmha_bwd_convert_dq_d64_fp32_group_deterministic_gfx9
short=fmha_bwd_d64_fp32_group_b16x16_maxq0_nmask_deterministic_gfx9
long=fmha_bwd_d64_fp32_group_b16x32_maxq0_nmask_deterministic_gfx9
few=fmha_bwd_d64_fp32_group_b16x16_maxq16_nmask_deterministic_gfx9
group='-mode=group -d=64 -deterministic=1'

# shellcheck disable=SC2086 # words
{
  # A compiler that fails: no launcher, and the kernel is named.
  ends 1 env CK_JIT_HIPCC=/bin/false "$bwd" $group -run=0
  grep -q "^fmha-bwd: .*$dot" "$T/err" || fail "$(cat "$T/err")"
  [ -z "$(find "$CK_JIT_CACHE_DIR" -maxdepth 1 -name '*.so')" ] || fail 'something was compiled'

  # Only made, twice; then run in another process, and in a third with no compiler to be had.
  ends 0 "$bwd" $group -s=40 -s_k=64 -run=0 -repeat=2
  compiled $dot $convert $short
  [ "$(chosen | sort)" = "$(printf '%s\n' $dot $convert $short | sort)" ] || fail "chosen: $(chosen)"
  ends 0 "$bwd" $group -s=40 -s_k=64 -repeat=2
  compiled $convert
  says right
  ends 0 env CK_JIT_HIPCC=/bin/false "$bwd" $group -s=40 -s_k=64 -repeat=2
  compiled
  says right

  # Another tile has another dq_dk_dv and the same convert_dq; QrQtrDor has no convert_dq.
  ends 0 "$bwd" $group -s=40 -s_k=65 -repeat=2
  compiled $long
  says right
  ends 0 "$bwd" $group -s=16 -s_k=65 -repeat=2
  compiled $few
  says right
  [ "$(chosen | sort)" = "$(printf '%s\n' $dot $few | sort)" ] || fail "chosen: $(chosen)"
}
# dot_do_o launches nothing either here, where kernels are functions: its entry may be one of such functions alone
[ "$(find "$CK_JIT_CACHE_DIR" -maxdepth 2 -name 'fmha*.so' -exec basename {} \; | sort -u | wc -l)" = 5 ] ||
  fail "not 5 entries: $(ls "$CK_JIT_CACHE_DIR" "$CK_JIT_CACHE_DIR/.host")"
