#include "traits.hpp"
extern template __global__ void reduce_kernel<16>(const float* in, float* out);
template <> void launch<16>(const tensor& x) { reduce_kernel<16><<<1, 1>>>(x.in, x.out); }
//= host
