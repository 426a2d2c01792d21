// mini_flash.h - attention forward, in the form of flash-attention: one template, its specialisations one to a file.
#pragma once

#include <cuda_runtime.h>

#ifndef MINI_FLASH_NAMESPACE
#define MINI_FLASH_NAMESPACE mini_flash
#endif

namespace MINI_FLASH_NAMESPACE {

// Q, K, V and O are [batch][head][row][dim], contiguous. All are of T.
struct Fwd_params {
  const void *q, *k, *v;
  void *o;
  float *lse;           // [batch][head][seqlen_q], may be null
  const float *alibi;   // a slope for each head, may be null
  int batch, heads, seqlen_q, seqlen_k, dim;
  int window;           // keys to the left of the diagonal that are seen; -1: all
  float scale;
  int splits;           // of run_mha_fwd_splitkv: parts of the keys
  float *partial;       // [splits][batch][head][seqlen_q][dim + 2]
};

template <typename T, int Headdim, bool Is_causal>
void run_mha_fwd_(Fwd_params &params, cudaStream_t stream);

template <typename T, int Headdim, bool Is_causal>
void run_mha_fwd_splitkv(Fwd_params &params, cudaStream_t stream);

}  // namespace MINI_FLASH_NAMESPACE

// What a program calls. dtype: 0 float, 1 half, 2 bfloat16; splits > 1: split over the keys. 0, or -1 for a shape that there
// is no kernel for. A failed launch, and a kernel that cannot be compiled, is thrown as std::runtime_error.
int mini_flash_fwd(MINI_FLASH_NAMESPACE::Fwd_params &params, int dtype, bool causal, cudaStream_t stream);
