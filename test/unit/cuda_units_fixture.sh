# cuda_units_fixture.sh - a CUDA without a GPU (runtime_cuda.c), for libraries of lazy units: source it behind common.sh.
#
#   $T/cudart       its directory, for -L and LD_LIBRARY_PATH
#   $T/home         a fake home whose ordinary units are lazy
#   as_build …      a command as the user's build would run it; what it says on standard error is in $T/err
#   compile UNIT…   UNIT.o of UNIT.cu, by nvcc with $flags
#   run PROGRAM …   a program with that CUDA; what is asked of CUDA is in $T/log
#   loading_main    make ./main, which loads ./lib.so and prints what its run() returns
# shellcheck shell=sh disable=SC2154
need gcc g++
unset CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAHOSTCXX CXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CK_JIT_NVCC CK_JIT_PER_KERNEL CK_JIT_BASE \
  CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_UNITS
need_nvcc
# The host side of units is made at the build, unless a test says `late=1` before.
[ "${late:-}" ] || export CK_JIT_UNITS=build
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_ARCH=sm_90 CUDA_VISIBLE_DEVICES=
cd "$T" || exit
mkdir cudart
cudart_object() {
  gcc -std=gnu11 -O1 -shared -fPIC -Wl,-soname,libcudart.so "${here:?}/unit/runtime_cuda.c" "$@" -pthread
}
once_file cudart/libcudart.so "$(cat "${here:?}/unit/runtime_cuda.c" "$here/unit/runtime_device.h")" cudart_object
CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir "$T/home" --profile cuda --units >"$T/exports" 2>"$T/home.log" || fail "no fake home: $(tail -n 1 "$T/home.log")"

as_build() (
  # shellcheck disable=SC1091
  . "$T/exports"
  "$@" 2>"$T/err"
)
compile() {
  for name in "$@"; do
    # shellcheck disable=SC2086
    as_build nvcc ${flags-} -c "$name.cu" -o "$name.o" || fail "$name.cu: $(cat "$T/err")"
  done
}
run() (
  : >"$T/log"
  CUDART_LOG=$T/log LD_LIBRARY_PATH=$T/cudart exec "$@"
)
# shellcheck disable=SC2034 # for loading_main_fixture.sh and tests
gpu_link="-Lcudart -lcudart"
# shellcheck source=SCRIPTDIR/loading_main_fixture.sh
. "$here/unit/loading_main_fixture.sh"
