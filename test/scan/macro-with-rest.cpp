#include "headers/macros.hpp"
EACH(INSTANTIATE, half)
//= blob gemm gemm
