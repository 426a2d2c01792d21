// Kernels whose names are seen from outside and such that are not; each is compiled alone.
#include "kinds.h"

#include <cassert>
#include <cstdio>

static __global__ void square(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= x[i];
}

namespace {
__device__ float twice(float x) { return x + x; }
__global__ void doubled(float *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    x[i] = twice(x[i]);
}
}  // namespace

template <typename T, int Power>
__global__ void raised(T *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    T y = 1;
#pragma unroll
    for (int k = 0; k < Power; k++)
      y *= x[i];
    x[i] = y;
  }
}

template <typename F>
__global__ void mapped(F f, float *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    x[i] = f(x[i]);
}

static __global__ void checked(const float *x, int n) {
  assert(n > 0);
  if (x[threadIdx.x] < 0)
    printf("x[%u] is negative: %f\n", threadIdx.x, x[threadIdx.x]);
}

namespace kinds {
template <>
int run<1>(float *x, int n) {
  const float by = 3;
  square<<<(n + 127) / 128, 128>>>(x, n);
  doubled<<<1, 128>>>(x, n);
  raised<float, 5><<<1, 128>>>(x, n);
  raised<double, 2><<<1, 128>>>(reinterpret_cast<double *>(x), n / 2);
  mapped<<<1, 128>>>([=] __device__(float y) { return by * y + sinf(y); }, x, n);
  checked<<<1, 32>>>(x, n);
  return cudaGetLastError();
}
}  // namespace kinds
