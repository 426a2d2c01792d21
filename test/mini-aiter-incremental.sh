#!/bin/sh
# A build of any other tool through `ckjit-build home`, and the user's own ninja again: nothing changed, nothing is done; a blob's
# time stamp changed, nothing is compiled; its text changed, that blob is another kernel and the rest stays.
# tier: long
# seconds: 130
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
cp -r "$example" "$T/aiter"
"$B/bin/ckjit-build" home --dir "$T/h" --work "$T/w" >"$T/exports"
# The interpreter itself: pyenv's shim would put directories in front of the PATH, which the library's compiles are to have.
python=$(python3 -c 'import sys; print(sys.executable)')
(
  # shellcheck source=/dev/null
  . "$T/exports"
  JIT_WORKSPACE_DIR=$T/jit "$python" "$T/aiter/op_tests/cpp/mha/compile.py" --api fwd
) >"$T/out" 2>&1 || fail "compile.py: $(tail -n 20 "$T/out")"
cd "$T/jit/build/libmha_fwd/build"
lib=$PWD
again() { # again: what the link said that ninja had to do
  ninja >"$T/out" 2>&1 || fail "ninja: $(cat "$T/out")"
  sed -En 's/.*; ([0-9]+) compiles?, ([0-9]+) kept.*/\1 compiles \2 kept/p' "$T/out"
}
[ -z "$(again)" ] || fail "a link, and nothing had changed: $(cat "$T/out")"

export CK_JIT_HIPCC="$T/counting-hipcc"
check "$lib" --only 'fwd_d64_fp32_nbias_nmask_*'
[ "$(compiled)" = 2 ] || fail 'not two compiles'
unset CK_JIT_HIPCC

blob=$(find srcs -name 'fmha_fwd_d64_fp32_*nbias_nmask_lse*.cu')
touch "$blob"
case $(again) in
'0 compiles '[1-9]*) ;;
*) fail "touched: $(cat "$T/out")" ;;
esac
export CK_JIT_HIPCC="$T/counting-hipcc"
check "$lib" --only 'fwd_d64_fp32_nbias_nmask_*'
[ "$(compiled)" = 0 ] || fail 'a kernel was compiled again for a time stamp'
unset CK_JIT_HIPCC

echo 'static_assert(true, "");' >>"$blob"
case $(again) in
[012]' compiles '[1-9]*) ;;
*) fail "changed: $(cat "$T/out")" ;;
esac
[ "$(grep -c 'hipcc.* -c ' "$T/out")" = 1 ] || fail "more than one went through hipcc: $(cat "$T/out")"
export CK_JIT_HIPCC="$T/counting-hipcc"
check "$lib" --only 'fwd_d64_fp32_nbias_nmask_*'
[ "$(compiled)" = 1 ] || fail 'not just the changed kernel was compiled'
