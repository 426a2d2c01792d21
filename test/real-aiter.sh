#!/bin/sh
# ROCm/aiter itself, both APIs, through `ckjit-build full` with HIP 7.2.4, then quick, then a call into each library from an
# install tree whose checkout and work directory are gone. Give the checkout (with CK in its 3rdparty/composable_kernel) in
# CKJIT_TEST_AITER; it is not in Debian or on PyPI.
# tier: long
# timeout: 86400
. "${0%/*}/common.sh"
aiter=${CKJIT_TEST_AITER-}
[ -n "$aiter" ] || skip "CKJIT_TEST_AITER names no aiter checkout"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B $aiter"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" "$@"; }

(cd "$aiter" && git status --short) >"$T/before"
in_root "$B/bin/ckjit-build" full --aiter-dir "$aiter" --gpu-archs gfx942 --tmp-dir "$T/tmp" --install-dir "$T/install" \
  >"$T/full.log" 2>&1 || { cat "$T/full.log"; fail "full failed"; }
cat "$T/full.log"
(cd "$aiter" && git status --short) >"$T/after"
cmp -s "$T/before" "$T/after" || fail "full left something in the checkout: $(cat "$T/after")"
grep -q ' 0 compiled ahead of time' "$T/full.log" || fail "blobs were compiled ahead of time"
in_root "$B/bin/ckjit-build" quick --tmp-dir "$T/tmp" --install-dir "$T/install" || fail "quick failed"

include=$T/tmp/src_bwd/aiter/jit/build
cat >"$T/build" <<SH
for lib in fwd bwd; do
  [ \$lib = bwd ] && define=-DBWD || define=-DFWD
  hipcc \$define --offload-host-only --offload-arch=gfx942 -std=c++20 -O1 -w -x hip "$here/toolchain/aiter-calls.cpp" -x none \
    -o "$T/calls-\$lib" -I"$include/ck/include" -I"$T/tmp/src_\$lib/aiter/jit/build/libmha_\$lib/build/include" \
    -L"$T/install" -lmha_\$lib -Wl,-rpath,"$T/moved" -lamdhip64 || exit 1
done
SH
in_root sh "$T/build" || fail "the caller does not compile"
mv "$T/install" "$T/moved"
rm -rf "$T/tmp"
call() {
  for lib in bwd fwd; do
    in_root env CK_JIT_CACHE_DIR="$T/cache" CK_JIT_ARCH=gfx942 CK_JIT_VERBOSE=1 "$@" "$T/calls-$lib" || true
  done
}
call env >"$T/first" 2>"$T/first.err"
cat "$T/first"
grep -q 'fmha_bwd_dot_do_o_d32_fp16.*fmha_bwd_d32_fp16' "$T/first" || { cat "$T/first.err"; fail "no names of bwd kernels"; }
grep -q 'fmha_fwd_splitkv_d32_fp16.*fmha_fwd_splitkv_combine_d32' "$T/first" || { cat "$T/first.err"; fail "no names of splitkv kernels"; }
call CK_JIT_HIPCC=/bin/false >"$T/second" 2>/dev/null
cmp -s "$T/first" "$T/second" || fail "the second process got: $(cat "$T/second")"
