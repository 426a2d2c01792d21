// kinds_symbol.h - what kinds_symbol.cu is about. In a header, as kernels mostly are: a blob with variables of its own is not left
// for later.
#pragma once

static __constant__ float factor;

static __global__ void negate_all(float *x, int n) {
  if (int(threadIdx.x) < n)
    x[threadIdx.x] = -x[threadIdx.x];
}

static __global__ void scale(float *x, int n) {
  if (int(threadIdx.x) < n)
    x[threadIdx.x] *= factor;
}
