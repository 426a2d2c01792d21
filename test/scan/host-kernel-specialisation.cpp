#include "kernel.hpp"
template<> __global__ void k<int>(int* p) { *p = 1; }
//= host
