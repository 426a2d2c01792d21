// Its host code writes a variable of the device's, which one of two kernels uses.
#include "kinds.h"
#include "kinds_symbol.h"

namespace kinds {
template <>
int run<3>(float *x, int n) {
  const float by = n;
  cudaError_t e = cudaSuccess;
  if (n < 0) {
    negate_all<<<1, 128>>>(x, -n);
    return cudaGetLastError();
  }
  if (n)
    e = cudaMemcpyToSymbol(factor, &by, sizeof by);
  scale<<<1, 128>>>(x, n);
  return n ? e : cudaGetLastError();
}
}  // namespace kinds
