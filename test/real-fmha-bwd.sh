#!/bin/sh
# examples/fmha-bwd with HIP 7.2.4, for gfx942 and gfx1100: all scenarios, with ckjit to the same bits as without, and device code
# just for the architectures of each kernel's tag. In CI, with HIP 5.2:
# fmha-bwd-lazy for the results, fmha-bwd-arch for the tags.
# tier: long
# seconds: 200
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" "$@"; }

cat >"$T/build" <<'SH'
#!/bin/sh
# build DIR VARIABLE=VALUE...: by the hipcc of the PATH; build DIR --lazy: all of it through a fake home
set -eu
dir=$1
shift
if [ "$1" = --lazy ]; then
  eval "$("$B/bin/ckjit-build" home --dir "$dir/home" --work "$dir/work")"
  shift
fi
PYTHONDONTWRITEBYTECODE=1 make -j2 -C "$top/examples/fmha-bwd" B="$dir/build" ARCH='gfx942 gfx1100' CXXFLAGS=-O1 "$@"
SH
chmod +x "$T/build"
make_() {
  in_root env B="$B" top="$top" "$T/build" "$@" >"$T/log" 2>&1 || fail "$(tail -n 20 "$T/log")"
}
make_ "$T/lazy" --lazy
grep -q 'libfmha_bwd.so: 108 blobs are lazy .* 0 compiled ahead of time, 1 dispatcher (3 helpers erased, 3 tables of 80 rows)' \
  "$T/log" || fail "$(cat "$T/log")"
make_ "$T/stock" TARGETS=gfx9 DTYPES=fp32 HDIMS=32 \
  FILTER='*group*maxq16_nmask*,*batch*maxq0_nmask*,*group*maxq0_nmask*,*group*maxq0_mask_det*'
run() {
  in_root env CK_JIT_CACHE_DIR="$T/cache" CK_JIT_ARCH='gfx942;gfx1100' "$@" >"$T/out" 2>"$T/err" ||
    fail "'$*': $(cat "$T/out" "$T/err")"
}
run "$T/stock/build/fmha-bwd" scenarios
mv "$T/out" "$T/stock.out"
run "$T/lazy/build/fmha-bwd" scenarios
cmp -s "$T/stock.out" "$T/out" || fail "$(diff "$T/stock.out" "$T/out")"
[ "$(grep -c ' right$' "$T/out")" = 6 ] || fail "$(cat "$T/out")"
run env FMHA_BWD_ARCH=gfx1100 "$T/lazy/build/fmha-bwd" -d=64
grep -q '_gfx11$' "$T/out" || fail "$(cat "$T/out")"

# has STEM ARCH...: of the two architectures, just these have a kernel in the compiled blob
has() {
  python3 "$here/unit/kernels_of.py" "$T/cache/$1.so" >"$T/kernels"
  shift
  [ "$(sed -n 's/ 1$//p' "$T/kernels" | tr '\n' ' ')" = "$* " ] || fail "$(cat "$T/kernels")"
}
has fmha_bwd_dot_do_o_d32_fp32_batch_gfx9 gfx942
has fmha_bwd_dot_do_o_d64_fp32_batch_gfx11 gfx1100
