#!/bin/sh
# A library rounds to bf16 as in aiter's own build, forward and backward; with a variable or --ck-tile-bf16 as that says.
# tier: long
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
unset CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT
rounding() {
  python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).mini_mha_bf16_rounding())' "$1"
}
"$B/bin/ckjit-build" full --aiter-dir "$example" --gpu-archs gfx90a --tmp-dir "$T/w" --install-dir "$T/i" \
  >"$T/out" 2>&1 || fail "full: $(cat "$T/out")"
[ "$(rounding "$T/i/libmha_fwd.so")$(rounding "$T/i/libmha_bwd.so")" = 20 ] || fail "not aiter's own"
export CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3
full fwd
[ "$(rounding "$full/i/libmha_fwd.so")" = 3 ] || fail 'not 3'
