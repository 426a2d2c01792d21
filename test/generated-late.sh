#!/bin/sh
# generated.sh for units that may be late (docs/units.md): random small libraries and programs, linked in many ways, made by nvcc and through
# a fake home with lazy units: the same refusals, results and exported names. BUILDS=10 FIRST=1000 …: test/generator/compare.py.
# tier: long
# seconds: 50
. "${0%/*}/common.sh"
unset CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAHOSTCXX CXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CK_JIT_NVCC CK_JIT_PER_KERNEL CK_JIT_BASE CK_JIT_UNITS
need python3 cc c++ ar ld nm
need_nvcc
export PYTHONDONTWRITEBYTECODE=1 TOOLCHAIN=late CUDA_HOME="$cuda" BUILDS="${BUILDS:-12}" FIRST="${FIRST:-400000}" REDUCE="${REDUCE:-0}"
python3 "$here/generator/compare.py" "$B" "$T/generated" || fail 'see above'
