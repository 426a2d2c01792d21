# fixture.sh - a GPU and a fake home whose ordinary units are lazy: source it behind common.sh.
#
#   arch     what the GPU is, 90
#   calls    a program that calls cases of libraries (calls.c)
#   lazy …   the test's own `build …`, as in the fake home
# shellcheck shell=sh disable=SC2034,SC2154
need gcc
command -v nvcc >/dev/null || skip "no nvcc here"
cd "$T" || exit
cuda=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")}
arch=$("$cuda/bin/__nvcc_device_query" 2>/dev/null) || skip "no GPU here that nvcc knows"
arch=${arch%%[!0-9]*}
unset CK_JIT_ARCH CUDA_HOME CUDA_PATH CUDACXX CXX CUDA_VISIBLE_DEVICES
export CK_JIT_CACHE_DIR="$T/cache"
gcc "$here/gpu/calls.c" -o calls -ldl
CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir home --profile cuda --units >exports
lazy() (
  # shellcheck disable=SC1091
  . ./exports
  build "$@"
)
