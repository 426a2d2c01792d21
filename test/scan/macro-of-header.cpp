// aiter's MoE: no semicolon behind the call, and a header of a header has the macro
#include "headers/launch.hpp"
using A = half;
const bool per_tensor = 2 == static_cast<int>(quant::per_tensor);
INSTANTIATE(256, float)
INSTANTIATE(
    64, // the small one
    double)
//= blob gemm gemm
