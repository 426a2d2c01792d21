#include "kernel.hpp"
static __constant__ float* p;
template<> void f<int>() {}
//= host
