// mini_flash_launch.h - the kernels, and the choice between them: what every blob includes.
//
// It has flash-attention's forms: a type and a head dimension as template arguments; run-time values that BOOL_SWITCH turns
// into constants, so that a blob has a kernel for each; a forward pass of one launch, and one that is split over the keys and
// needs a second launch to combine the parts. A blob of the generated sources instantiates one of the run_ functions below, the
// callers see its declaration alone.
#pragma once

#include "mini_flash.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>
#include <string>

// As flash-attention's static_switch.h: a value at run time becomes a constant of the kernel.
#define BOOL_SWITCH(COND, CONST_NAME, ...)     \
  [&] {                                        \
    if (COND) {                                \
      constexpr static bool CONST_NAME = true; \
      return __VA_ARGS__();                    \
    } else {                                   \
      constexpr static bool CONST_NAME = false;\
      return __VA_ARGS__();                    \
    }                                          \
  }()

namespace MINI_FLASH_NAMESPACE {

inline void check(cudaError_t e, const char *what) {
  if (e != cudaSuccess)
    throw std::runtime_error(std::string("mini-flash: ") + what + ": " + cudaGetErrorString(e));
}

// A warp for each row of Q: lanes take the keys in turn, each with its own running maximum and sum.
template <typename T, int Headdim, bool Is_causal, bool Is_local, bool Has_alibi, bool Return_lse>
__device__ __forceinline__ void attend(const Fwd_params &p, int row, int first_key, int last_key, float *max_out,
                                       float *sum_out, float *acc) {
  constexpr int Warp = 32;
  const int lane = threadIdx.x % Warp;
  const int bh = blockIdx.y;
  const T *q = static_cast<const T *>(p.q) + (size_t(bh) * p.seqlen_q + row) * Headdim;
  const T *k = static_cast<const T *>(p.k) + size_t(bh) * p.seqlen_k * Headdim;
  const T *v = static_cast<const T *>(p.v) + size_t(bh) * p.seqlen_k * Headdim;
  const int diagonal = row + p.seqlen_k - p.seqlen_q;
  float m = -INFINITY, sum = 0;
#pragma unroll
  for (int d = 0; d < Headdim; d++)
    acc[d] = 0;
  for (int key = first_key + lane; key < last_key; key += Warp) {
    if (Is_causal && key > diagonal)
      break;
    if (Is_local && key < diagonal - p.window)
      continue;
    float s = 0;
#pragma unroll
    for (int d = 0; d < Headdim; d++)
      s += float(q[d]) * float(k[size_t(key) * Headdim + d]);
    s *= p.scale;
    if (Has_alibi)
      s -= p.alibi[bh % p.heads] * fabsf(float(diagonal - key));
    const float higher = fmaxf(m, s), was = __expf(m - higher), is = __expf(s - higher);
    sum = sum * was + is;
#pragma unroll
    for (int d = 0; d < Headdim; d++)
      acc[d] = acc[d] * was + is * float(v[size_t(key) * Headdim + d]);
    m = higher;
  }
  for (int step = Warp / 2; step; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, m, step), higher = fmaxf(m, other);
    const float was = m == -INFINITY ? 0 : __expf(m - higher), is = other == -INFINITY ? 0 : __expf(other - higher);
    sum = sum * was + __shfl_xor_sync(0xffffffffu, sum, step) * is;
#pragma unroll
    for (int d = 0; d < Headdim; d++)
      acc[d] = acc[d] * was + __shfl_xor_sync(0xffffffffu, acc[d], step) * is;
    m = higher;
  }
  *max_out = m;
  *sum_out = sum;
}

template <typename T, int Headdim, bool Is_causal, bool Is_local, bool Has_alibi, bool Return_lse>
__global__ void fwd_kernel(const Fwd_params p) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= p.seqlen_q)
    return;
  float acc[Headdim], m, sum;
  attend<T, Headdim, Is_causal, Is_local, Has_alibi, Return_lse>(p, row, 0, p.seqlen_k, &m, &sum, acc);
  const size_t at = size_t(blockIdx.y) * p.seqlen_q + row;
#pragma unroll
  for (int d = 0; d < Headdim; d++)
    if (int(threadIdx.x) == d % 32)
      static_cast<T *>(p.o)[at * Headdim + d] = T(sum > 0 ? acc[d] / sum : 0.f);
  if (Return_lse && threadIdx.x == 0)
    p.lse[at] = sum > 0 ? m + logf(sum) : -INFINITY;
}

template <typename T, int Headdim, bool Is_causal, bool Is_local, bool Has_alibi>
__global__ void split_kernel(const Fwd_params p) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, split = blockIdx.z;
  if (row >= p.seqlen_q)
    return;
  const int each = (p.seqlen_k + p.splits - 1) / p.splits, first = split * each;
  float acc[Headdim], m, sum;
  attend<T, Headdim, Is_causal, Is_local, Has_alibi, false>(p, row, first, min(first + each, p.seqlen_k), &m, &sum, acc);
  float *out = p.partial + (size_t(split) * p.batch * p.heads * p.seqlen_q + size_t(blockIdx.y) * p.seqlen_q + row) *
                               (Headdim + 2);
#pragma unroll
  for (int d = 0; d < Headdim; d++)
    if (int(threadIdx.x) == d % 32)
      out[d] = acc[d];
  if (threadIdx.x == 0) {
    out[Headdim] = m;
    out[Headdim + 1] = sum;
  }
}

template <typename T, int Headdim, bool Return_lse>
__global__ void combine_kernel(const Fwd_params p) {
  const size_t rows = size_t(p.batch) * p.heads * p.seqlen_q, row = blockIdx.x;
  float m = -INFINITY, sum = 0;
  for (int s = 0; s < p.splits; s++)
    m = fmaxf(m, p.partial[(s * rows + row) * (Headdim + 2) + Headdim]);
  float acc = 0;
  for (int s = 0; s < p.splits; s++) {
    const float *in = p.partial + (s * rows + row) * (Headdim + 2);
    const float factor = in[Headdim] == -INFINITY ? 0 : __expf(in[Headdim] - m);
    sum += factor * in[Headdim + 1];
    acc += factor * in[threadIdx.x];
  }
  static_cast<T *>(p.o)[row * Headdim + threadIdx.x] = T(sum > 0 ? acc / sum : 0.f);
  if (Return_lse && threadIdx.x == 0)
    p.lse[row] = sum > 0 ? m + logf(sum) : -INFINITY;
}

// Eight kernels, of which a call launches one.
template <typename T, int Headdim, bool Is_causal>
void run_mha_fwd_hdim(Fwd_params &params, cudaStream_t stream) {
  const dim3 block(32, 4), grid((params.seqlen_q + 3) / 4, params.batch * params.heads);
  BOOL_SWITCH(params.window >= 0, Is_local, [&] {
    BOOL_SWITCH(params.alibi != nullptr, Has_alibi, [&] {
      BOOL_SWITCH(params.lse != nullptr, Return_lse, [&] {
        auto kernel = &fwd_kernel<T, Headdim, Is_causal, Is_local, Has_alibi, Return_lse>;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 0), "set attribute");
        kernel<<<grid, block, 0, stream>>>(params);
        check(cudaGetLastError(), "launch");
      });
    });
  });
}

template <typename T, int Headdim, bool Is_causal>
void run_mha_fwd_splitkv(Fwd_params &params, cudaStream_t stream) {
  const dim3 block(32, 4), grid((params.seqlen_q + 3) / 4, params.batch * params.heads, params.splits);
  BOOL_SWITCH(params.window >= 0, Is_local, [&] {
    BOOL_SWITCH(params.alibi != nullptr, Has_alibi, [&] {
      split_kernel<T, Headdim, Is_causal, Is_local, Has_alibi><<<grid, block, 0, stream>>>(params);
      check(cudaGetLastError(), "launch");
    });
  });
  BOOL_SWITCH(params.lse != nullptr, Return_lse, [&] {
    combine_kernel<T, Headdim, Return_lse>
        <<<params.batch * params.heads * params.seqlen_q, Headdim, 0, stream>>>(params);
    check(cudaGetLastError(), "launch");
  });
}

}  // namespace MINI_FLASH_NAMESPACE
