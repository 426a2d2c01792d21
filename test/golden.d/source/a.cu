#include "gpu.h"
__global__ void first_a(int *p) { p[0] = 1; }
template <int N> __global__ void times_a(int *p) { p[0] *= N; }
extern "C" __attribute__((visibility("default"))) int a(int which) {
  if (which == 0) first_a<<<1, 1>>>(nullptr);
  else times_a<3><<<1, 1>>>(nullptr);
  return which;
}
