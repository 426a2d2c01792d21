// aiter's opus_gemm: the kernel's host stub is in a sibling unit
#include "traits.hpp"
template <int N, class T>
__global__ void reduce_kernel(const T* in, T* out);
#include "impl/launch_16.cuh"
template void launch_16<float>(const tensor& x);
//= host
