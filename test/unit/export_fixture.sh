# export_fixture.sh - a library of five kernels, two functions each, recorded and linked through a fake home by the real hipcc:
# source it behind common.sh. Its manifest is CK_JIT_MANIFEST; the library is made once a run.
#
#     k64 k128   plain
#     k32        left out by an #if for gfx908: there is no kernel
#     k16        its body is left out for gfx908, as CK's older kernels do it
#     k8         empty for every architecture
# shellcheck shell=sh disable=SC2034,SC2154
need hipcc readelf nm python3 gcc g++
hipcc_version=${CKJIT_TEST_HIPCC-$(hipcc --version 2>&1)}
unset ROCM_PATH ROCM_HOME HIP_PATH CXX CK_JIT_ARCH CK_JIT_ROOT CK_JIT_JOBS CK_JIT_VERBOSE
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
# LLVM's own tools, of hipcc's version, judge what comes out.
llvm=/usr/lib/llvm-$(echo "$hipcc_version" | sed -n 's/.*clang version \([0-9]*\).*/\1/p')/bin
for tool_ in clang llvm-readelf llvm-objdump llvm-dis llvm-bcanalyzer clang-offload-bundler; do
  [ -x "$llvm/$tool_" ] || skip "no $llvm/$tool_"
done
# On the root of HIP 7.2.4 it is gfx942 (test/real-export.sh), with Debian's gfx90a.
arch=${EXPORT_ARCH-gfx90a}

demo_sources() {
  cat >"$1/demo.h" <<'END'
#pragma once
#include <hip/hip_runtime.h>
namespace demo {
struct args { float *out; int n; };
template <int N, bool B> struct traits {};
template <typename T> float forward_(const args &a);
template <typename T> int count_(int n);
}
END
  for n_ in 64 128 32 16 8; do
    without_=NEVER empty_=NEVER
    [ $n_ = 32 ] && without_=__gfx908__
    [ $n_ = 16 ] && empty_=__gfx908__
    [ $n_ = 8 ] && empty_=__AMDGCN__
    cat >"$1/k$n_.cu" <<END
#include "demo.h"
using trait_0 = demo::traits<$n_, true>;
#if !defined($without_)
template <typename T> __global__ void kentry(demo::args a) {
#if !defined($empty_)
  a.out[blockIdx.x * blockDim.x + threadIdx.x] = $n_ * a.n;
#endif
}
template <> float demo::forward_<trait_0>(const demo::args &a) {
  kentry<trait_0><<<1, 64>>>(a);
  return (float)a.n;
}
template <> int demo::count_<trait_0>(int n) { return n * $n_; }
#endif
END
  done
  for n_ in 64 128 32 16 8; do
    echo "template <> int demo::count_<demo::traits<$n_, true>>(int);"
    calls_="${calls_-} case $n_: return demo::count_<demo::traits<$n_, true>>(n); "
  done >"$1/declared.h"
  printf '#include "demo.h"\n#include "declared.h"\nextern "C" int count(int d, int n) { switch (d) { %s} return 0; }\n' \
    "$calls_" >"$1/api.cpp"
}

demo_library() {
  demo_sources "$1" && cd "$1" &&
    "$B/bin/ckjit-build" home --dir "$1/h" --work "$1/w" >/dev/null || return
  for n_ in 64 128 32 16 8; do
    h/bin/hipcc -O3 -std=c++17 -fPIC -I"$1" --offload-arch="$arch" -c k$n_.cu -o k$n_.o || return
  done
  hipcc -O2 -std=c++17 -fPIC -I"$1" --offload-arch="$arch" -x hip -c api.cpp -o api.o 2>/dev/null &&
    h/bin/hipcc -shared --offload-arch="$arch" -o libdemo.so api.o k64.o k128.o k32.o k16.o k8.o
}

# the library in $demo, made once for these programs and this compiler
{
  echo "$hipcc_version"
  find "$B/bin" "$B/libexec" "$B/share/ckjit/runtime" "${here:?}/unit/export_fixture.sh" -type f -exec sha256sum {} +
} >"$T/key"
once "export-$arch" demo_library <"$T/key"
demo=$made
export CK_JIT_MANIFEST="$demo/w/libdemo/ck_jit_manifest.json"
count64=_ZN4demo6count_INS_6traitsILi64ELb1EEEEEii
count128=_ZN4demo6count_INS_6traitsILi128ELb1EEEEEii
kentry64=_Z6kentryIN4demo6traitsILi64ELb1EEEEvNS0_4argsE
kentry128=_Z6kentryIN4demo6traitsILi128ELb1EEEEvNS0_4argsE
mkdir "$T/out"
cd "$T/out" || exit

# shellcheck source=/dev/null
. "${here:?}/unit/export_common.sh"

# instructions FILE: of a code object or device object, without addresses
instructions() {
  "$llvm/llvm-objdump" -d "$1" | sed -n -e 's/^\t//' -e 's,//.*,,p'
}

# same FILE FILE: the same instructions, and some
same() {
  instructions "$1" >"$T/one"
  instructions "$2" >"$T/other"
  [ "$(wc -l <"$T/one")" -gt 5 ] && cmp "$T/one" "$T/other" || fail "$1 and $2 have other code"
}
