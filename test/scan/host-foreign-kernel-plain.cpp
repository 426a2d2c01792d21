#include "traits.hpp"
__global__ void reduce_kernel(const float* in, float* out);
template <> void launch<16>(const tensor& x) { reduce_kernel<<<1, 1>>>(x.in, x.out); }
//= host
