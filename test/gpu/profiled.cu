/* profiled.cu - two kernels for profilers and debuggers: `profiled` runs both, `profiled bad` lets
 * the second one write past the end of its buffer. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= by;
}

template <int Past> __global__ void shift(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    /* the planted fault: Past is beyond the buffer */
    x[i + Past] = x[i + Past] + 1;
}

static int launch_all(bool bad) {
  enum { N = 1024 };
  float *x, last = -1;
  if (cudaMalloc(&x, N * sizeof *x) != cudaSuccess || cudaMemset(x, 0, N * sizeof *x) != cudaSuccess)
    return 3;
  scale<<<N / 256, 256>>>(x, 2, N);
  shift<0><<<N / 256, 256>>>(x, N);
  if (bad)
    shift<1 << 22><<<1, 1>>>(x, 1);
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess)
    error = cudaMemcpy(&last, x + N - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("last %g, %s\n", last, cudaGetErrorString(error));
  return error != cudaSuccess;
}

int main(int argc, char **) {
  return launch_all(argc > 1);
}
