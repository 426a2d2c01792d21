#!/bin/sh
# The examples on an emulated MI300X (gfx942): examples/fragments computes on it and each result is
# right, in another process without a compile; each block of each kernel of examples/mini-aiter's
# forward attention reports that it ran, and the results are those of the regular library.
# tier: long
# timeout: 14400
. "${0%/*}/common.sh"
. "$here/gpu/emulated_fixture.sh"
top=$(realpath "$here/..") config=gfx942_cdna3_kmd
export CK_JIT_ARCH=gfx942 CK_JIT_CACHE_DIR="$T/cache" PYTHONDONTWRITEBYTECODE=1

in_root env ARCH=gfx942 CKJIT="$B/bin" "$top/examples/fragments/run" "$T/fragments" >"$T/out" 2>&1 || fail "fragments: $(cat "$T/out")"
for on_miss in compile error; do
  CK_JIT_ON_MISS=$on_miss on_emulator "$config" python3 "$top/examples/fragments/call.py" "$T/fragments/libsearch.so" >"$T/out" 2>"$T/err" ||
    fail "fragments, $on_miss: $(cat "$T/out" "$T/err")"
  is "fragments, $on_miss" '12 combinations called on the gpu: every result is right' "$(cat "$T/out")"
done

cp -r "$top/examples/mini-aiter" "$T/stock"
export MINI_AITER_SMALL=1 GPU_ARCHS=gfx942 CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3
in_root sh -c 'cd "$1/stock" && JIT_WORKSPACE_DIR=$1/work python3 op_tests/cpp/mha/compile.py --api fwd' sh "$T" >"$T/log" 2>&1 ||
  fail "mini-aiter by hipcc: $(tail -n 20 "$T/log")"
in_root "$B/bin/ckjit-build" full --aiter-dir "$top/examples/mini-aiter" --gpu-archs gfx942 --api fwd --tmp-dir "$T/w" --install-dir "$T/i" \
  >"$T/log" 2>&1 || fail "mini-aiter: $(tail -n 20 "$T/log")"
export MINI_AITER_DEVICE=1
for on_miss in compile error; do
  CK_JIT_ON_MISS=$on_miss on_emulator "$config" python3 "$top/examples/mini-aiter/check.py" "$T/i" --reference "$T/stock/op_tests/cpp/mha" \
    >"$T/out" 2>"$T/err" || fail "mini-aiter, $on_miss: $(tail -n 20 "$T/out" "$T/err")"
  cat "$T/out"
done
