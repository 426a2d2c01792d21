# fixture.sh - a GPU and a fake home whose ordinary units are lazy: source it after common.sh.
#
# GPU=hip chooses HIP, and test/gpu/emulated_fixture.sh sets it; otherwise the tests are CUDA's.
#
#   platform     cuda or hip
#   arch         what the GPU is: 90, gfx942
#   gpucc …      the compiler of the path with the platform's words for a shared library and for $arch,
#                or $archs instead
#   sources FILE…  copies sources of test/gpu, with gpu.h, which maps CUDA's names to HIP's
#   on_gpu …     runs a program on the GPU
#   calls        a program that calls cases of libraries (calls.c)
#   lazy …       the test's own `build …`, in the fake home
#   late …       the same, and a unit whose functions are demanded costs the build nothing
#   compare …    both libraries print the same (below)
#   afresh …     they do from an empty cache, and then in a process that may not compile
# shellcheck shell=sh disable=SC2034,SC2086,SC2154
need gcc
cd "$T" || exit
unset CK_JIT_ARCH
# The host side of units is made at the build; `late` says otherwise.
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_UNITS=build
platform=${GPU:-cuda} compared=0 archs=
case $platform in
cuda)
  command -v nvcc >/dev/null || skip "no nvcc here"
  cuda=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")}
  arch=$("$cuda/bin/__nvcc_device_query" 2>/dev/null) || skip "no GPU here that nvcc knows"
  arch=${arch%%[!0-9]*}
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || :)
  visible_devices=CUDA_VISIBLE_DEVICES
  unset CUDA_HOME CUDA_PATH CUDACXX CXX CUDA_VISIBLE_DEVICES
  on_gpu() { "$@"; }
  gpucc() { nvcc -std=c++17 -O2 --extended-lambda -w -Xcompiler -fPIC ${archs:-"-arch=sm_$arch"} "$@"; }
  CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir home --profile cuda --units >exports
  ;;
hip)
  need hipcc
  clang=$(hipconfig --hipclangpath)
  unset HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES CXX
  on_gpu() {
    "$here/gpu/run_hip" "$@"
  }
  on_gpu "$clang/amdgpu-arch" >archs 2>archs.err || skip "no GPU here that HIP knows: $(cat archs.err)"
  arch=$(sed -n '1s/:.*//;1p' archs) gpus=$(grep -c . archs || :)
  [ -n "$arch" ] || skip "no GPU here that HIP knows"
  visible_devices=HIP_VISIBLE_DEVICES
  # The emulator's devices are not in /sys, which ckjit-compile reads, because it runs outside.
  [ -z "${EMULATOR-}" ] || export CK_JIT_ARCH="$arch"
  gpucc() { hipcc -std=c++17 -O2 -w -fPIC ${archs:-"--offload-arch=$arch"} "$@"; }
  "$B/bin/ckjit-build" home --dir home --units >exports
  ;;
*) fail "GPU=$platform: cuda or hip" ;;
esac
gcc "$here/gpu/calls.c" -o calls -ldl
lazy() (
  # shellcheck disable=SC1091
  . ./exports
  build "$@"
)
late() {
  CK_JIT_UNITS=1 lazy "$@"
}
sources() {
  cp "$here/gpu/gpu.h" .
  for source_; do
    cp "$here/gpu/$source_" .
  done
}

# compare WHAT STOCK LAZY CASE…: the libraries of the directories STOCK and LAZY print the same and end
# with success. A CASE is LIBRARY:CASE, or a word of calls.c. The regular library runs a list of cases
# once. What the emulator cannot run in the regular library, it is not asked to run in the lazy one.
compare() {
  what=$1 stock=$2 lazy=$3 status=0
  shift 3
  expected=$stock/$(echo "$*" | tr ' :' '_-').out
  if [ ! -e "$expected" ]; then
    # A busy machine's emulator fails now and then, also with regular libraries.
    for _ in 1 2 3; do
      status=0
      # shellcheck disable=SC2046 # words
      on_gpu ./calls $(words_ "$stock" "$@") >"$expected" 2>stock.err || status=$?
      [ "$status" != 0 ] && [ -n "${EMULATOR-}" ] || break
    done
    [ "$status" = 0 ] || [ -n "${EMULATOR-}" ] || fail "$what: the regular library: $(cat "$expected" stock.err)"
    echo "exit status $status" >>"$expected"
  fi
  if ! grep -q '^exit status 0$' "$expected"; then
    echo "$what: not compared, the emulator does not run the regular library: $(tail -n 2 "$expected" | tr '\n' ' ')"
    return
  fi
  # shellcheck disable=SC2046 # words
  on_gpu ./calls $(words_ "$lazy" "$@") >lazy.out 2>lazy.err || status=$?
  echo "exit status $status" >>lazy.out
  diff "$expected" lazy.out >differs || fail "$what: $(cat differs lazy.err)"
  compared=$((compared + 1))
  echo "$what: $(wc -l <lazy.out) lines are the same"
}
# afresh WHAT STOCK LAZY CASE…
afresh() {
  what_=$1
  shift
  rm -rf cache
  compare "$what_, cold" "$@"
  CK_JIT_ON_MISS=error compare "$what_, in a second process" "$@"
}
# words_ DIRECTORY CASE…: as calls takes them
words_() {
  directory_=$1
  shift
  for word_; do
    case $word_ in
    *:*) echo "./$directory_/lib${word_%%:*}.so:${word_#*:}" ;;
    *) echo "$word_" ;;
    esac
  done
}
