#!/bin/sh
# generated.sh with nvcc: few builds, for a unit takes it a second. Nothing is launched without a GPU: that there is none is a part of the result.
# tier: long
# seconds: 60
. "${0%/*}/common.sh"
unset CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAHOSTCXX CXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CK_JIT_NVCC CK_JIT_PER_KERNEL CK_JIT_BASE
need python3 cc c++
need_nvcc
export PYTHONDONTWRITEBYTECODE=1 TOOLCHAIN=cuda CUDA_HOME="$cuda" BUILDS="${BUILDS:-10}" FIRST="${FIRST:-400000}"
python3 "$here/generator/compare.py" "$B" "$T/generated" || fail 'see above'
