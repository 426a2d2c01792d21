#!/bin/sh
# aiter's own modules, as aiter/jit compiles them, with HIP 7.2.4 for gfx942, by the real compiler and through a home with --units: seconds of a
# processor, one kernel of each unit from its text, whether its kernels are all listed, and whether they are the real compiler's. The log has the table of docs/units-measured.md.
#
#     test/real-aiter-modules.sh --aiter-dir DIR [--python PYTHON] [--kernels N] [--generated N] [MODULE…]
#
# DIR is a checkout with ComposableKernel in its 3rdparty/composable_kernel; without that PyPI's is taken. PYTHON has torch, of which the headers are
# read, pandas and psutil. Of what a generator writes N units are compiled, of each unit N kernels, 2 if it is not said. WORK=DIR keeps what is
# prepared and the real compiler's seconds. A module of one source takes some minutes. Units that the price rule sends to the real compiler are
# measured as lazy ones, too: the home has units=all.
# tier: long
# timeout: 86400
. "${0%/*}/common.sh"
aiter='' python=python3 kernels=2 generated=2
while [ $# -gt 0 ]; do
  case $1 in
    --aiter-dir) aiter=${2:?a directory} ;;
    --python) python=${2:?a program} ;;
    --kernels) kernels=${2:?a number} ;;
    --generated) generated=${2:?a number} ;;
    *) break ;;
  esac
  shift 2
done
[ -n "$aiter" ] || skip 'no aiter checkout is named: --aiter-dir DIR'
[ "$(id -u)" = 0 ] || skip 'the HIP 7.2.4 root needs root'
need debootstrap unshare python3
"$python" -c 'import torch, pandas, psutil' 2>"$T/python.log" || skip "$python lacks torch, pandas or psutil: $(tail -n 1 "$T/python.log")"
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" zstd || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
[ $# -gt 0 ] || set -- module_gemm_a8w8 module_gemm_a8w8_blockscale module_moe_ck2stages module_norm module_rmsnorm module_rope_general_fwd module_cache \
  module_activation module_quant module_moe_sorting module_smoothquant module_custom_all_reduce module_pos_encoding module_aiter_unary
aiter=$(realpath "$aiter") top=$(cd "$here/.." && pwd) work=${WORK:-$T/work} programs=$(realpath "$B")
mkdir -p "$work/run"
work=$(realpath "$work")
export CKJIT_BIND="$top $work $programs"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" env B="$programs" TMPDIR="$work/run" CK_JIT_UNITS=build "$@"; }

if [ ! -d "$work/ck" ]; then
  ck=$aiter/3rdparty/composable_kernel
  if [ ! -d "$ck/include" ]; then
    "$here/toolchain/ck-source" "$tools/ck" || skip "CK's source cannot be fetched here, see $tools/ck/log"
    ck=$(realpath "$tools/ck/composable_kernel")
  fi
  cp -r "$ck" "$work/ck"
  cp "$aiter/3rdparty/ck_helper/config.h" "$work/ck/include/ck/config.h"
fi
# headers of ROCm's libraries, which PyTorch's include, without the libraries
if [ ! -d "$work/rocm" ]; then
  # shellcheck disable=SC2016 # the inner shell's
  in_root sh -c 'mkdir -p "$0/debs" && cd "$0/debs" && apt-get -o APT::Sandbox::User=root -t experimental download libhipblas-dev libhipblas-common-dev \
    libhipblaslt-dev libhipsparse-dev libhipsolver-dev libhipcub-dev librocprim-dev librocthrust-dev libhiprand-dev librocrand-dev librocm-smi-dev' \
    "$work" >"$T/debs.log" 2>&1 || skip "ROCm's headers cannot be fetched here: $(tail -n 1 "$T/debs.log")"
  for deb in "$work"/debs/*.deb; do
    dpkg -x "$deb" "$work/rocm"
  done
fi
[ -d "$work/torch" ] || "$python" "$here/unit/aiter_modules.py" headers "$work" >"$T/headers.log" 2>&1 || fail "headers: $(tail -n 3 "$T/headers.log")"
"$python" "$here/unit/aiter_modules.py" prepare "$work" "$aiter" "$work/ck" "$@" >"$T/prepare.log" 2>&1 || fail "sources: $(tail -n 3 "$T/prepare.log")"
# shellcheck disable=SC2016 # the inner shell's
[ -d "$work/run/home" ] || in_root sh -c 'cd "$0" && "$B/bin/ckjit-build" home --dir home --units' "$work/run" >"$work/run/exports" 2>&1 ||
  fail "home: $(cat "$work/run/exports")"
sed -i 's/^units=lazy$/units=all/' "$work/run/home/ckjit.conf"
in_root python3 "$here/unit/aiter_modules.py" measure "$work" "$work/run/home" "$kernels" "$generated" "$@" || fail 'see above'
