// Compiled with -G.
#include "kinds.h"

static __global__ void half(float *x, int n) {
  if (int(threadIdx.x) < n)
    x[threadIdx.x] /= 2;
}

namespace kinds {
template <>
int run<6>(float *x, int n) {
  half<<<1, 128>>>(x, n);
  return cudaGetLastError();
}
}  // namespace kinds
