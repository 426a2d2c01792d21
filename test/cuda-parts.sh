#!/bin/sh
# CUDA blobs that are known by what they include: a unit of two other sources, as in flash-attention 3, and one whose functions come out
# of a macro of a header. They are lazy; their first call compiles the host's side and the kernel that it launches; the second process
# compiles nothing.
# tier: all
# seconds: 9
. "${0%/*}/common.sh"
unset CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAHOSTCXX CXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CK_JIT_NVCC CK_JIT_PER_KERNEL CK_JIT_BASE
need c++
need_nvcc
cd "$T"
export HOME="$T" CK_JIT_CACHE_DIR="$T/cache" CK_JIT_ARCH=sm_90 CUDA_VISIBLE_DEVICES='' LD_LIBRARY_PATH="$cuda/lib64"
mkdir src
cat >src/launch.h <<'END'
#pragma once
template <int N> __global__ void fill(int* out) { *out = N; }
template <int N> int launch() {
  int* none = nullptr;
  fill<N><<<1, 1>>>(none);
  return cudaGetLastError() == cudaSuccess ? 1000 + N : N; // without a GPU: N
}
template <int N> int fwd(int x);
template <int N> int bwd(int x) { return x * launch<N>(); }
#define INSTANTIATE(n) template int bwd<n>(int x);
END
for n in 32 64; do
  printf '#include "launch.h"\n\n#ifndef DISABLE_%d\ntemplate <> int fwd<%d>(int x) { return x + launch<%d>(); }\n#endif\n' $n $n $n >src/fwd_$n.cu
done
printf '#include "fwd_32.cu"\n#include "fwd_64.cu"' >src/fwd_all.cu
printf '#include "launch.h"\nINSTANTIATE(96)\n' >src/bwd_96.cu
cat >src/api.cu <<'END'
#include "launch.h"
#include <cstdio>
extern template int bwd<96>(int);
int main() { printf("%d %d %d\n", fwd<32>(10000) % 1000, fwd<64>(10000) % 1000, bwd<96>(1) % 1000); }
END
CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >exports
through() (
  # shellcheck disable=SC1091
  . "$T/exports"
  "$@"
)
for name in fwd_all bwd_96 api; do
  through nvcc -std=c++17 -gencode arch=compute_90,code=sm_90 -Isrc -c src/$name.cu -o $name.o 2>err || fail "$name: $(cat err)"
done
through nvcc -gencode arch=compute_90,code=sm_90 fwd_all.o bwd_96.o api.o -o prog 2>err || fail "$(cat err)"
grep -q '^ckjit-link: .*: 2 blobs are lazy .* 0 compiled ahead of time' err || fail "$(cat err)"
./prog >got 2>said || fail "it cannot be called: $(cat said)"
[ "$(cat got)" = '32 64 96' ] || fail "got $(cat got); $(cat said)"
[ -e cache/fwd_all.so ] && [ -e cache/bwd_96.so ] || fail "the cache has $(ls cache)"
CK_JIT_NVCC=/bin/false ./prog >second 2>said || fail "the second process: $(cat said)"
cmp -s got second || fail "the second process got $(cat second)"
