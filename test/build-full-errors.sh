#!/bin/sh
# What is wrong with the input is said before anything is made; a build that fails shows its last lines and names its log.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
mkdir "$T/empty"
full() {
  ckjit-build full --gpu-archs gfx942 --tmp-dir "$T/w" "$@"
}
refused 2 'aiter-dir DIR is missing' full
refused 2 'gpu-archs LIST is missing' ckjit-build full --aiter-dir "$T/aiter"
refused 2 "expected fwd or bwd, found 'mid'" full --aiter-dir "$T/aiter" --api mid
refused 2 "jobs: expected a number from 1 to 65535, found '0'" full --aiter-dir "$T/aiter" --jobs 0
refused 2 "bf16: expected a number.*'x'" full --aiter-dir "$T/aiter" --ck-tile-bf16 x
refused 2 'unknown option' full --aiter-dir "$T/aiter" --frobnicate
refused 2 "unexpected argument 'more'" full --aiter-dir "$T/aiter" more
refused 1 'gone: no such directory; expected a checkout' full --aiter-dir "$T/gone"
refused 1 'no op_tests/cpp/mha/compile.py' full --aiter-dir "$T/empty"
refused 1 "unknown architecture 'sm_90'" full --aiter-dir "$T/aiter" --gpu-archs 'gfx942;sm_90'
refused 1 "does not compile for 'gfx9999'.*" full --aiter-dir "$T/aiter" --gpu-archs 'gfx9999;gfx942'
refused 1 'no architecture in it' full --aiter-dir "$T/aiter" --gpu-archs ';'
refused 1 'tmp-dir.*cannot make this directory' full --aiter-dir "$T/aiter" --tmp-dir "$T/aiter/op_tests/cpp/mha/compile.py/w"
refused 1 'install-dir.*cannot make this directory' full --aiter-dir "$T/aiter" --install-dir /proc/ckjit
refused 1 "CK_JIT_HIPCC='$T/none' is not there; set it to" env CK_JIT_HIPCC="$T/none" ckjit-build full --gpu-archs gfx942 --aiter-dir "$T/aiter"
mv "$T/ck-elsewhere/include" "$T/ck-elsewhere/no-include"
refused 1 'composable kernel is not there; run .git submodule' full --aiter-dir "$T/aiter"
mv "$T/ck-elsewhere/no-include" "$T/ck-elsewhere/include"
[ ! -e "$T/w" ] || fail "something was made: $(ls "$T/w")"
mkdir -p "$T/mine/src_fwd"
refused 1 'holds src_fwd, which ckjit-build did not make' full --aiter-dir "$T/aiter" --tmp-dir "$T/mine"

refused 1 'fwd: .*status 1; all of its output is in .*/log_fwd.txt' env FAIL_API=fwd ckjit-build full --gpu-archs gfx942 \
  --tmp-dir "$T/w" --aiter-dir "$T/aiter" --install-dir "$T/i"
grep -q '^no such kernel' "$T/refused.err" || fail 'the last line is not shown'
[ "$(grep -c '^line' "$T/refused.err")" = 29 ] || fail 'not the last thirty lines'
grep -q '^line 0' "$T/w/log_fwd.txt" || fail 'the log is not whole'
[ -z "$(ls "$T/i")" ] || fail "half an install: $(ls "$T/i")"
refused 1 'bwd: the build ended without linking libmha_bwd.so' env NO_LINK=bwd ckjit-build full --gpu-archs gfx942 \
  --tmp-dir "$T/w" --aiter-dir "$T/aiter" --install-dir "$T/i"

# a list is read before anything is made; what it names is known after the build, which need not be repeated then
rm -rf "$T/w"
refused 1 "aot-list $T/none: cannot read it: No such file" full --aiter-dir "$T/aiter" --aot-list "$T/none"
refused 1 'aot-list .*ckjit-build:1: not text; expected a list of kernels' full --aiter-dir "$T/aiter" --aot-list "$B/bin/ckjit-build"
printf '# ckjit-capture 7: calls, smells\n' >"$T/seven"
refused 1 "aot-list $T/seven: a capture of another version of ckjit" full --aiter-dir "$T/aiter" --aot-list "$T/seven"
[ ! -e "$T/w" ] || fail "something was made: $(ls "$T/w")"
printf 'fmha_fwd_d64_1\nfmha_fwd_d65_1\n' >"$T/list"
refused 1 "list:2: unknown kernel 'fmha_fwd_d65_1': .*; did you mean 'fmha_fwd_d64_1'?" full --aiter-dir "$T/aiter" --aot-list "$T/list" --api fwd --install-dir "$T/i"
grep -q "1 of the 2 kernels of the list is unknown: nothing was linked" "$T/refused.err" || fail "$(cat "$T/refused.err")"
grep -q "the libraries are built, but not installed, .*: ckjit-build relink --tmp-dir $T/w --aot-list $T/list --install-dir $T/i\$" "$T/refused.err" ||
  fail "$(cat "$T/refused.err")"
