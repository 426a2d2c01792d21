#include "kernel.hpp"
static __device__ int counter;
template<> void f<int>() {}
//= host
