#!/bin/sh
# The examples on an emulated MI300X (gfx942): examples/fragments computes on it, and on a MI350X (gfx950),
# and each result is right, in another process without a compile; each block of each kernel of
# examples/mini-aiter's forward and backward attention reports that it ran, and the results are those of
# the regular library.
# tier: long
# timeout: 14400
. "${0%/*}/common.sh"
. "$here/gpu/emulated_fixture.sh"
top=$(realpath "$here/..")
export CK_JIT_CACHE_DIR="$T/cache" PYTHONDONTWRITEBYTECODE=1

for arch in gfx942 gfx950; do
  export CK_JIT_ARCH=$arch
  [ $arch = gfx942 ] && config=gfx942_cdna3_kmd || config=gfx950_cdna4_kmd
  in_root env ARCH=$arch CKJIT="$B/bin" "$top/examples/fragments/run" "$T/fragments" >"$T/out" 2>&1 || fail "fragments, $arch: $(cat "$T/out")"
  for on_miss in compile error; do
    CK_JIT_ON_MISS=$on_miss on_emulator "$config" python3 "$top/examples/fragments/call.py" "$T/fragments/libsearch.so" >"$T/out" 2>"$T/err" ||
      fail "fragments, $arch, $on_miss: $(cat "$T/out" "$T/err")"
    is "fragments, $arch, $on_miss" '12 combinations called on the gpu: every result is right' "$(cat "$T/out")"
  done
done

cp -r "$top/examples/mini-aiter" "$T/stock"
export MINI_AITER_SMALL=1 CK_JIT_ARCH=gfx942 GPU_ARCHS=gfx942 CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3
# shellcheck disable=SC2016 # the inner shell's
in_root sh -c 'cd "$1/stock" && for api in fwd bwd; do JIT_WORKSPACE_DIR=$1/work python3 op_tests/cpp/mha/compile.py --api $api || exit; done' sh "$T" \
  >"$T/log" 2>&1 || fail "mini-aiter by hipcc: $(tail -n 20 "$T/log")"
in_root "$B/bin/ckjit-build" full --aiter-dir "$top/examples/mini-aiter" --gpu-archs gfx942 --tmp-dir "$T/w" --install-dir "$T/i" \
  >"$T/log" 2>&1 || fail "mini-aiter: $(tail -n 20 "$T/log")"
export MINI_AITER_DEVICE=1
for on_miss in compile error; do
  CK_JIT_ON_MISS=$on_miss on_emulator gfx942_cdna3_kmd python3 "$top/examples/mini-aiter/check.py" "$T/i" --reference "$T/stock/op_tests/cpp/mha" \
    >"$T/out" 2>"$T/err" || fail "mini-aiter, $on_miss: $(tail -n 20 "$T/out" "$T/err")"
  cat "$T/out"
done
