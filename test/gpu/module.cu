// The kernel of a module that a program loads itself; hipcc --genco, nvcc -cubin.
#include "gpu.h"
extern "C" __global__ void of_module(int *p) { p[threadIdx.x] = p[threadIdx.x] * 3 + 1; }
