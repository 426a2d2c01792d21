#!/bin/sh
# Kernels of ComposableKernel's backward attention (dot_do_o, fp16 d = 32 and bf16 d = 64) compute on an
# emulated MI300X (gfx942), compiled at their first call, what the regular compiler's compute, bit for
# bit and valid against a sum on the host; a second process compiles nothing.
# tier: long
# timeout: 14400
. "${0%/*}/common.sh"
. "$here/gpu/emulated_fixture.sh"
need python3
"$here/toolchain/ck-source" "$B/toolchain/ck" || skip "CK's source cannot be fetched here, see $B/toolchain/ck/log"
ck=$(realpath "$B/toolchain/ck/composable_kernel")
export CKJIT_BIND="$ck" CK_JIT_ARCH=gfx942 CK_JIT_CACHE_DIR="$T/cache"
cat >"$T/build" <<'SH2'
#!/bin/sh
# build DIR: the library, by the hipcc of the path
set -eu
mkdir "$1"
flags="-DWITH_HIP -I$ck/include -I$ck/example/ck_tile/01_fmha -fPIC -std=c++20 -O3 -w
-fvisibility=hidden --offload-arch=gfx942 -DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=2"
for blob in "$T"/gen/fmha_bwd_dot_do_o_d32_fp16_batch_o2_npad.cpp "$T"/gen/fmha_bwd_dot_do_o_d64_bf16_batch_o2_npad.cpp; do
  hipcc $flags -c "$blob" -o "$1/$(basename "$blob" .cpp).o"
done
# it has no kernel of its own
hipcc $flags --offload-host-only -x hip -c "$here/gpu/dot_do_o.cpp" -o "$1/run.o"
hipcc --offload-arch=gfx942 -shared "$1"/*.o -o "$1/libck.so"
SH2
in_root python3 "$ck/example/ck_tile/01_fmha/generate.py" -d bwd --receipt 600 -o "$T/gen" \
  >"$T/log" 2>&1 || fail "$(tail -n 20 "$T/log")"
both_builds --profile hip
has 'both kernels are lazy' '2 kernels lazy, 0 ahead of time' "$T/log"
for case_ in fp16 bf16; do
  regular libck.so "$case_"
  has "$case_" 'valid:y' "$T/stock.out"
  lazily libck.so "$case_"
done
