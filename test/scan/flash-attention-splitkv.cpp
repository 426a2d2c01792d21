#include "kernel.hpp"
namespace FLASH_NAMESPACE {
template void run_mha_fwd_splitkv_dispatch<cutlass::half_t, 96, false>(Flash_fwd_params &params, cudaStream_t stream);
}
//= blob run_mha_fwd_splitkv_dispatch
