// mini_flash_api.cpp - from a call's arguments to one of the blobs. Host code, compiled by the C++ compiler.
#include "mini_flash.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

using namespace MINI_FLASH_NAMESPACE;

namespace {

template <typename T, int Headdim, bool Is_causal>
void run(Fwd_params &params, cudaStream_t stream) {
  if (params.splits > 1)
    run_mha_fwd_splitkv<T, Headdim, Is_causal>(params, stream);
  else
    run_mha_fwd_<T, Headdim, Is_causal>(params, stream);
}

template <typename T, int Headdim>
int run(Fwd_params &params, bool causal, cudaStream_t stream) {
  if (causal)
    run<T, Headdim, true>(params, stream);
  else
    run<T, Headdim, false>(params, stream);
  return 0;
}

template <typename T>
int run(Fwd_params &params, bool causal, cudaStream_t stream) {
  switch (params.dim) {
  case 32:
    return run<T, 32>(params, causal, stream);
  case 64:
    return run<T, 64>(params, causal, stream);
  default:
    return -1;
  }
}

}  // namespace

int mini_flash_fwd(Fwd_params &params, int dtype, bool causal, cudaStream_t stream) {
  switch (dtype) {
  case 0:
    return run<float>(params, causal, stream);
  case 1:
    return run<__half>(params, causal, stream);
  case 2:
    return run<__nv_bfloat16>(params, causal, stream);
  default:
    return -1;
  }
}
