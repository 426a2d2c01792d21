#!/bin/sh
# How kernels round to bf16: as in aiter's own build, which reads a variable, unless --ck-tile-bf16 asks for something else;
# then the summary says so. CK JIT's command line has the default 3.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
unset CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT
full() {
  ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api fwd --tmp-dir w "$@" >out 2>&1 || fail "$*: $(cat out)"
}
full
grep -q ' bf16 its own ' w/log_fwd.txt || fail "$(cat w/log_fwd.txt)"
lacks 'the summary of an unchanged build' '^bf16' out
CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=1 full
grep -q ' bf16 1 ' w/log_fwd.txt || fail "aiter's own build would see 1: $(cat w/log_fwd.txt)"
export CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=1
full --ck-tile-bf16 3
grep -q ' bf16 3 ' w/log_fwd.txt || fail "$(cat w/log_fwd.txt)"
grep -q "^bf16     rounded by CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3; results may differ from aiter's own build\$" out ||
  fail "the summary does not say so: $(cat out)"
full --ck-tile-bf16 0
grep -q ' bf16 0 ' w/log_fwd.txt || fail "$(cat w/log_fwd.txt)"
grep -q 'CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=0;' out || fail "$(cat out)"
unset CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT
full --ck-tile-bf16 aiter
grep -q ' bf16 its own ' w/log_fwd.txt || fail "$(cat w/log_fwd.txt)"
ckjit-build full --help | grep -q "results in bf16 differ from aiter's" || fail 'the help does not say so'
mkdir -p te/ckjit/bin
cp "$here/../packaging/te/ck_jit_build.py" te/
printf '#!/bin/sh\necho "$*"\n' >te/ckjit/bin/ckjit-build && chmod +x te/ckjit/bin/ckjit-build
is "CK JIT's default" 'full --ck-tile-bf16 3' "$(python3 te/ck_jit_build.py full)"
is "CK JIT's option" 'full --ck-tile-bf16=0' "$(python3 te/ck_jit_build.py full --ck-tile-bf16=0)"
refused 2 "ck-tile-bf16: expected a number from 0 to 65535, found 'Aiter'; or the word aiter, for aiter's own value" \
  ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --ck-tile-bf16 Aiter
