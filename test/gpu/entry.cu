// Separate compilation: kernels that call functions of other units, also by a pointer, and one that waits for the whole grid.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

__device__ float distance(float a, float b);
__device__ float filter(int i, float x);
__device__ int scaled(int x);
typedef float (*filter_t)(int, float);
__device__ filter_t chosen();

__global__ void search(float *p) { p[threadIdx.x] = filter(threadIdx.x, distance(p[threadIdx.x], 3.5f)); }
__global__ void pointer(float *p) { p[threadIdx.x] = chosen()(threadIdx.x, p[threadIdx.x]); }
__global__ void alone(float *p) { p[threadIdx.x] += 1; }
template <int N> __global__ void times(float *p) { p[threadIdx.x] += scaled(N); }
__global__ void together(float *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = scaled(blockIdx.x);
  cooperative_groups::this_grid().sync();
  if (!blockIdx.x) p[threadIdx.x] += p[blockDim.x + threadIdx.x];
}

extern "C" int run(const char *what) {
  float host[64], *p;
  if (cudaMalloc(&p, sizeof host)) return printf("%s\n", cudaGetErrorString(cudaGetLastError())), 1;
  for (int i = 0; i < 64; i++) host[i] = float(i);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  void *args[] = {&p};
  if (!strcmp(what, "search")) search<<<1, 64>>>(p);
  if (!strcmp(what, "pointer")) pointer<<<1, 64>>>(p);
  if (!strcmp(what, "alone")) alone<<<1, 64>>>(p);
  if (!strcmp(what, "times")) times<3><<<1, 64>>>(p), times<4><<<1, 64>>>(p);
  if (!strcmp(what, "together")) cudaLaunchCooperativeKernel((const void *)together, 2, 32, args, 0, 0);
  cudaError_t e = cudaDeviceSynchronize();
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < 64; i++) sum = sum * 1.5f + host[i];
  printf("%s: %s, %a %a, %a\n", what, cudaGetErrorName(e), host[0], host[63], sum);
  return e || cudaFree(p);
}
