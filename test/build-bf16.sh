#!/bin/sh
# How kernels round to bf16: 3 unless --ck-tile-bf16 says otherwise, whatever the environment says; "aiter" leaves it to aiter's
# configuration. The summary and the help say so.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
export CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=1
full() {
  ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api fwd --tmp-dir w "$@" >out 2>&1 || fail "$*: $(cat out)"
}
full
grep -q ' bf16 3 ' w/log_fwd.txt || fail "$(cat w/log_fwd.txt)"
grep -q '^bf16     rounded by CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3; aiter.s own build has 2 for fwd, 0 for bwd: --ck-tile-bf16 aiter$' out ||
  fail "the summary does not say so: $(cat out)"
full --ck-tile-bf16 0
grep -q ' bf16 0 ' w/log_fwd.txt || fail "$(cat w/log_fwd.txt)"
grep -q 'CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=0;' out || fail "$(cat out)"
full --ck-tile-bf16 aiter
grep -q ' bf16 its own ' w/log_fwd.txt || fail "$(cat w/log_fwd.txt)"
grep -q "^bf16     rounded as aiter's own configuration says\$" out || fail "$(cat out)"
ckjit-build full --help | grep -q 'results in bf16 differ from it' || fail 'the help does not say so'
refused 2 "ck-tile-bf16: expected a number from 0 to 65535, found 'Aiter'; or the word aiter, for aiter's own value" \
  ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --ck-tile-bf16 Aiter
