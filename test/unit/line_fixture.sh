# line_fixture.sh - a program of one blob and a main(), for the command lines of HIP and of CUDA: source it after common.sh.
#
# $kinds are those whose compiler is here. `kind K` makes a fake home for one and enters a directory with k1.o, its stub; main.cpp,
# main.o; libk.a, with k1.o in it. `./app` prints 31. Options of ckjit-build home may follow K.
# shellcheck shell=sh disable=SC2034,SC2154
need c++ ar
unset CXX CUDA_HOME CUDA_PATH ROCM_PATH HIP_PATH ROCM_HOME NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" HOME="$T"
kinds=
! (need_hipcc) >/dev/null 2>&1 || kinds=hip
if (need_nvcc) >/dev/null 2>&1; then
  need_nvcc
  kinds="$kinds cuda"
  export LD_LIBRARY_PATH="$cuda/lib64"
fi
[ -n "$kinds" ] || skip "neither hipcc nor nvcc here"

# in_home COMMAND...: by the compilers of the fake home. What is said on standard error is in ./err
in_home() (
  # shellcheck disable=SC1090 # made above
  . "$T/$kind.exports"
  "$@" 2>err
)

# compile OBJECT WORDS...: by the kind's own compiler, in the fake home, with the words that a blob needs
compile() {
  object_=$1
  shift
  if [ "$kind" = hip ]; then
    in_home hipcc -x c++ -c "$@" -o "$object_"
  else
    in_home nvcc -arch=sm_75 -c "$@" -o "$object_"
  fi
}

kind() {
  kind=$1
  shift
  set -- --dir "$T/home.$kind" "$@"
  if [ "$kind" = hip ]; then
    compiler=hipcc
    export CK_JIT_ARCH=gfx90a
    "$B/bin/ckjit-build" home "$@" >"$T/hip.exports" 2>"$T/log"
  else
    compiler='nvcc -arch=sm_75'
    unset CK_JIT_ARCH
    PATH=$cuda/bin:$PATH "$B/bin/ckjit-build" home --profile cuda "$@" >"$T/cuda.exports" 2>"$T/log"
  fi || fail "no home for $kind: $(cat "$T/log")"
  mkdir "$T/$kind"
  cd "$T/$kind" || fail "no directory"
  echo 'template <int N> int run(int n);' >k.h
  printf '#include "k.h"\ntemplate <> int run<1>(int n) { return n * 10 + 1; }\n' >k1.cu
  printf '#include "k.h"\n#include <cstdio>\nint main() { printf("%%d\\n", run<1>(3)); }\n' >main.cpp
  c++ -c main.cpp
  compile k1.o k1.cu || fail "$kind: $(cat err)"
  ar rc libk.a k1.o
}
