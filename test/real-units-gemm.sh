#!/bin/sh
# ComposableKernel's GEMM instances with HIP 7.2.4, with the words of CK's own CMake build for gfx942: units of five types as ordinary objects and as lazy units, in one
# library each, and kernels of each unit from its text. Each kernel has the real compiler's descriptor and metadata; how many have its instructions is
# told. The log has the table of docs/units-measured.md: seconds of a processor, bytes.
# UNITS="UNIT…" and KERNELS=N of each choose fewer; WORK=DIR keeps the real compiler's objects, which take most of the time.
# tier: long
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" zstd || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
"$here/toolchain/ck-cmake-source" "$tools/ck-cmake" || skip "CK's source cannot be fetched here, see $tools/ck-cmake/log"
ck=$(realpath "$tools/ck-cmake/composable_kernel")
top=$(cd "$here/.." && pwd)
work=${WORK:-$T/work}
mkdir -p "$work/gen/ck"
work=$(realpath "$work")
sed 's/#cmakedefine .*//; s/@[^@]*@/1/' "$ck/include/ck/config.h.in" >"$work/gen/ck/config.h"
[ -n "${UNITS-}" ] || UNITS='device_gemm_xdl_f32_f32_f32_mk_nk_mn_instance
device_gemm_xdl_f32_f32_f32_km_kn_mn_instance
device_gemm_xdl_c_shuffle_lds_direct_load_f32_f32_f32_mk_nk_mn_instance
device_gemm_xdl_c_shuffle_lds_direct_load_f32_f32_f32_km_kn_mn_instance
device_gemm_xdl_c_shuffle_bf16_bf16_bf16_km_kn_mn_instance
device_gemm_xdl_f64_f64_f64_mk_nk_mn_instance
device_gemm_xdl_f64_f64_f64_km_kn_mn_instance
device_gemm_xdl_f64_f64_f64_mk_kn_mn_instance
device_gemm_xdl_c_shuffle_i8_i8_i8_mk_nk_mn_instance
device_gemm_xdl_f16_f16_f16/mk_nk_mn_irregular_default_pipeline_v1_instance
device_gemm_xdl_f16_f16_f16/mk_nk_mn_irregular_interwave_pipeline_v1_instance
device_gemm_xdl_f16_f16_f16/km_kn_mn_default_pipeline_v1_instance
device_gemm_xdl_c_shuffle_fp8_fp8_fp8_mk_kn_mn_v1_default_instance'
programs=$(realpath "$B")
export CKJIT_BIND="$top $T $programs $ck $work"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" env B="$programs" TMPDIR="$T" "$@"; }

# shellcheck disable=SC2016 # the inner shell's
# The host side of the units is made at the build.
in_root sh -c 'cd "$0" && "$B/bin/ckjit-build" home --dir home --units' "$T" >"$T/exports" 2>&1 || fail "home: $(cat "$T/exports")"
# shellcheck disable=SC2086 # words
in_root env CK_JIT_UNITS=build python3 "$here/unit/gemm_units.py" "$work" "$ck" "$T/home" "${KERNELS:-4}" $UNITS || fail 'see above'
