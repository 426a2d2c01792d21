#!/bin/sh
# aiter's own benchmark_mha_fwd and benchmark_mha_bwd, linked with the libraries that `ckjit-build full` makes, on an emulated
# MI300X (gfx942): they compare with a reference on the host, and print valid:y with kernels that are compiled at their first
# call, and again in a second process that may not compile. Give the checkout in CKJIT_TEST_AITER; it is not in Debian or on
# PyPI. If it has no CK in its 3rdparty/composable_kernel, PyPI's is taken.
#
#     test/amd-aiter.sh ['fwd|bwd OPTION…']…
#
# OPTIONs are the benchmark's. WORK=DIR keeps the libraries and the compiled kernels. The backward library is built from a
# copy of the checkout without two of aiter's flags, with which clang needs hours for a kernel (docs/heavy-kernels.md).
# Without them it takes minutes, as for a forward kernel with them.
# tier: long
# timeout: 86400
. "${0%/*}/common.sh"
aiter=${CKJIT_TEST_AITER-}
[ -n "$aiter" ] || skip 'CKJIT_TEST_AITER names no aiter checkout'
. "$here/gpu/emulated_fixture.sh"
[ $# -gt 0 ] || set -- 'fwd -prec=fp16 -d=32' 'fwd -prec=bf16 -d=64 -mode=1 -mask=1 -bias=a' \
  'bwd -prec=fp16 -d=32' 'bwd -prec=fp16 -d=32 -p_drop=0.2 -deterministic=1'
aiter=$(realpath "$aiter")
mkdir -p "${WORK:-$T/work}"
work=$(realpath "${WORK:-$T/work}")
if [ ! -d "$aiter/3rdparty/composable_kernel/include" ]; then
  "$here/toolchain/ck-source" "$B/toolchain/ck" || skip "CK's source cannot be fetched here, see $B/toolchain/ck/log"
  [ -d "$work/aiter" ] || cp -r "$aiter" "$work/aiter"
  aiter=$work/aiter
  cp -r "$B/toolchain/ck/composable_kernel" "$aiter/3rdparty"
  # make_kernel takes the block's size first in PyPI's CK, and aiter's generator does not pass it: without this, HIP refuses the
  # launches of dot_do_o and convert_dq, of the regular library as well.
  sed -i 's/const dim3 blocks /constexpr dim3 blocks /; s/make_kernel<kBlockPerCu>/make_kernel<blocks.x, kBlockPerCu>/' \
    "$aiter/csrc/py_itfs_cu/fmha_bwd_pre_post_kernel_generate.py"
fi
export CKJIT_BIND="$aiter $work" CK_JIT_CACHE_DIR="$work/cache" CK_JIT_COMPILE_TIMEOUT=0 EMULATED_SECONDS=43200

# As aiter's build_mha.sh compiles and links them. benchmark_mha_fwd does not set min_seqlen_q, so that kernels might skip all.
for api in $(printf '%s\n' "$@" | cut -d ' ' -f 1 | sort -u); do
  source=$aiter
  if [ "$api" = bwd ]; then
    source=$work/few-flags
    [ -d "$source" ] || cp -r "$aiter" "$source"
    sed -i '/amdgpu-early-inline-all=true\|amdgpu-function-calls=false/d' "$source/aiter/jit/core.py"
  fi
  [ -d "$work/$api.install" ] || in_root "$B/bin/ckjit-build" full --api "$api" --aiter-dir "$source" --gpu-archs gfx942 \
    --tmp-dir "$work/$api.tmp" --install-dir "$work/$api.install" >"$T/log" 2>&1 || fail "full: $(tail -n 20 "$T/log")"
  [ -x "$work/$api" ] || in_root hipcc -std=c++20 -O3 -w -DUSE_ROCM=1 -DCK_TILE_FMHA_FWD_SPLITKV_API=1 --offload-arch=gfx942 -Xarch_host -ftrivial-auto-var-init=zero \
    -I"$aiter/3rdparty/composable_kernel/include" -I"$aiter/3rdparty/composable_kernel/example/ck_tile/01_fmha" -I"$aiter/csrc/include" \
    "$aiter/op_tests/cpp/mha/benchmark_mha_$api.cpp" -o "$work/$api" -L"$work/$api.install" -lmha_"$api" -Wl,-rpath,"$work/$api.install" \
    >"$T/log" 2>&1 || fail "benchmark_mha_$api: $(tail -n 20 "$T/log")"
done
for case_; do
  for on_miss in compile error; do
    # shellcheck disable=SC2086 # an API and options
    CK_JIT_ON_MISS=$on_miss on_emulator gfx942_cdna3_kmd "$work/"$case_ -s=64 -b=1 -h=1 -v=1 -warmup=0 -repeat=1 -kname=1 \
      >"$T/out" 2>"$T/err" || fail "$case_, $on_miss: $(tail -n 20 "$T/out" "$T/err")"
    cat "$T/out"
    has "$case_, $on_miss" ', fmha_' "$T/out"
    has "$case_, $on_miss" 'valid:y' "$T/out"
  done
done
