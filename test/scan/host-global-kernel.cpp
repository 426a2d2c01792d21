#include "kernel.hpp"
template<> void f<int>() {}
__global__ void k(int* p) { *p = 1; }
//= host
