// What the kernels need of HIP, whose own headers would take two seconds a compile.
#pragma once
#ifndef __CUDACC_VER_MAJOR__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef struct ihipStream_t *hipStream_t;
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, decltype(sizeof 0), hipStream_t);
extern "C" int hipConfigureCall(dim3, dim3, decltype(sizeof 0) = 0, hipStream_t = nullptr);
extern "C" int __hipPushCallConfiguration(dim3, dim3, decltype(sizeof 0) = 0, hipStream_t = nullptr);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, decltype(sizeof 0) *, hipStream_t *);
#endif
