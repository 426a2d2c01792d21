// hip_runtime.h - of HIP's what most tests use of it, in 30 lines instead of 30,000: two passes over
// those take a second for each unit. It is found by the options $small_hip of hip_fixture.sh.
#pragma once
// clang's wrapper of <new> looks for malloc
#include <stdlib.h>
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))

enum hipError_t { hipSuccess = 0, hipErrorInvalidDeviceFunction = 98 };
typedef struct ihipStream_t *hipStream_t;
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern "C" {
// by these clang starts a kernel
hipError_t __hipPushCallConfiguration(dim3, dim3, decltype(sizeof 0) = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, decltype(sizeof 0) *, hipStream_t *);
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, decltype(sizeof 0), hipStream_t);
hipError_t hipGetLastError(void);
}
