#include "traits.hpp"
template <int N> __global__ void reduce_kernel(const float* in, float* out);
template <> void launch<16>(const tensor& x) { reduce_kernel<16><<<1, 1>>>(x.in, x.out); }
template <int N> __global__ void reduce_kernel(const float* in, float* out) { *out = *in * N; }
//= blob launch
