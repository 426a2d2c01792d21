// Two kernels of which neither name is certain: each may be that of the other.
#include "kinds.h"

using pair = struct {
  float a, b;
};
using one = struct {
  float a;
};
template <typename T>
static __global__ void first(T *x, int n) {
  if (int(threadIdx.x) < n)
    x[threadIdx.x].a = 1;
}

namespace kinds {
template <>
int run<9>(float *x, int n) {
  first<<<1, 128>>>(reinterpret_cast<pair *>(x), n / 2);
  first<<<1, 128>>>(reinterpret_cast<one *>(x), n);
  return cudaGetLastError();
}
}  // namespace kinds
