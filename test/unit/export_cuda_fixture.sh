# export_cuda_fixture.sh - as export_fixture.sh, by the real nvcc for sm_80 and sm_90, without a GPU: source it behind common.sh.
#
#     k64 k128   plain
#     k16        its body is left out for sm_80
#     k8         empty for every architecture
#     two        two kernels
# shellcheck shell=sh disable=SC2034,SC2154
need readelf nm python3 g++ gcc
unset CUDA_HOME CUDA_PATH CXX CK_JIT_ARCH CK_JIT_ROOT CK_JIT_JOBS CK_JIT_VERBOSE CK_JIT_NVCC NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
need_nvcc

demo_sources() {
  cat >"$1/demo.h" <<'END'
#pragma once
#include <cuda_runtime.h>
namespace demo {
struct args { float *out; int n; };
template <int N, bool B> struct traits {};
template <typename T> float forward_(const args &a);
template <typename T> int count_(int n);
}
END
  for n_ in 64 128 16 8; do
    body_=1
    [ $n_ = 16 ] && body_='__CUDA_ARCH__ >= 900'
    [ $n_ = 8 ] && body_=0
    cat >"$1/k$n_.cu" <<END
#include "demo.h"
using trait_0 = demo::traits<$n_, true>;
template <typename T> __global__ void kentry(demo::args a) {
#if $body_
  a.out[blockIdx.x * blockDim.x + threadIdx.x] = $n_ * a.n;
#endif
}
template <> float demo::forward_<trait_0>(const demo::args &a) {
  kentry<trait_0><<<1, 64>>>(a);
  return (float)a.n;
}
template <> int demo::count_<trait_0>(int n) { return n * $n_; }
END
  done
  sed -e 's/<64, true>/<2, true>/' -e 's/^template <> float/template <typename T> __global__ void other(T *p) { *p = 1; }\n&/' \
    -e 's/  kentry/  other<float><<<1, 1>>>(a.out);\n&/' "$1/k64.cu" >"$1/two.cu"
  for n_ in 64 128 16 8 2; do
    echo "template <> int demo::count_<demo::traits<$n_, true>>(int);"
    calls_="${calls_-} case $n_: return demo::count_<demo::traits<$n_, true>>(n); "
  done >"$1/declared.h"
  printf '#include "demo.h"\n#include "declared.h"\nextern "C" int count(int d, int n) { switch (d) { %s} return 0; }\n' \
    "$calls_" >"$1/api.cpp"
}

demo_library() {
  demo_sources "$1" && cd "$1" && CUDA_HOME=$cuda && export CUDA_HOME &&
    "$B/bin/ckjit-build" home --profile cuda --dir "$1/h" --work "$1/w" >/dev/null || return
  for n_ in k64 k128 k16 k8 two; do
    h/bin/nvcc -O3 -std=c++17 -Xcompiler -fPIC,-Wall -I"$1" -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
      --threads 2 -c $n_.cu -o $n_.o || return
  done
  g++ -O2 -std=c++17 -fPIC -I"$1" -I"$cuda/include" -c api.cpp -o api.o &&
    h/bin/ckjit-cxx -shared -o libdemo.so api.o k64.o k128.o k16.o k8.o two.o -L"$cuda/lib64" -lcudart
}

{
  "$nvcc" --version
  find "$B/bin" "$B/libexec" "$B/share/ckjit/runtime" "${here:?}/unit/export_cuda_fixture.sh" -type f -exec sha256sum {} +
} >"$T/key"
once export-cuda demo_library <"$T/key"
demo=$made
export CK_JIT_MANIFEST="$demo/w/libdemo/ck_jit_manifest.json"
export LD_LIBRARY_PATH="$cuda/lib64"
count64=_ZN4demo6count_INS_6traitsILi64ELb1EEEEEii
count128=_ZN4demo6count_INS_6traitsILi128ELb1EEEEEii
kentry64=_Z6kentryIN4demo6traitsILi64ELb1EEEEvNS0_4argsE
mkdir "$T/out"
cd "$T/out" || exit

# shellcheck source=/dev/null
. "${here:?}/unit/export_common.sh"

# kernels CUBIN: the SHA-256 and name of each kernel's machine code in a cubin
kernels() {
  python3 - "$1" <<'END'
import hashlib, struct, sys
b = open(sys.argv[1], "rb").read()
assert b[:4] == b"\x7fELF" and struct.unpack_from("<H", b, 18)[0] == 190, "no cubin"
table, = struct.unpack_from("<Q", b, 0x28)
count, names = struct.unpack_from("<HH", b, 0x3c)
sections = [struct.unpack_from("<IIQQQQIIQQ", b, table + 64 * i) for i in range(count)]
for s in sections:
    name = b[sections[names][4] + s[0]:].split(b"\0")[0].decode()
    if name.startswith(".text."):
        print(hashlib.sha256(b[s[4]:s[4] + s[5]]).hexdigest(), name[6:])
END
}
