#!/bin/sh
# quick: the library gets another runtime, in a work directory that was moved; it compiles nothing else, and kernels that
# are cached stay good. A part of the runtime that lies beside its source is used, and the installed one if there is none.
# tier: all
# seconds: 16
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
full fwd
cp -r "$full/w" "$T/w"
export CK_JIT_HIPCC="$T/counting-hipcc"
check "$full/i" --only fwd_d64_fp32_nbias_nmask_lse
[ "$(compiled)" = 1 ] || fail 'not one compile at the first call'
# mark FILE WHAT: the text "WHAT of this test" is in what is compiled of it
mark() {
  echo "__attribute__((used)) static const char ckjit_${2}_mark[] = \"the $2 of this test\";" >>"$1"
}
# quick WHAT…: the library with the runtime in $T/runtime; it has all of these marks
quick() {
  CK_JIT_RUNTIME_SRC=$T/runtime/ck_jit_runtime.c "$B/bin/ckjit-build" quick --tmp-dir "$T/w" --install-dir "$T/i" >"$T/out" 2>&1 ||
    fail "quick: $(cat "$T/out")"
  for what; do
    grep -q "the $what of this test" "$T/i/libmha_fwd.so" || fail "it is not the new $what"
  done
  : >"$T/compiled"
  check "$T/i" --only fwd_d64_fp32_nbias_nmask_lse
  [ "$(compiled)" = 0 ] || fail 'the kernel was compiled again'
}
mkdir "$T/runtime"
cp "$B/share/ckjit/runtime/ck_jit_runtime.c" "$T/runtime"
mark "$T/runtime/ck_jit_runtime.c" runtime
quick runtime
cp "$B/share/ckjit/runtime/ck_jit_text.c" "$T/runtime"
mark "$T/runtime/ck_jit_text.c" part
quick runtime part
