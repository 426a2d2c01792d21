#include "gpu.h"
__global__ void first_b(int *p) { p[0] = 1; }
template <int N> __global__ void times_b(int *p) { p[0] *= N; }
extern "C" __attribute__((visibility("default"))) int b(int which) {
  if (which == 0) first_b<<<1, 1>>>(nullptr);
  else times_b<3><<<1, 1>>>(nullptr);
  return which;
}
