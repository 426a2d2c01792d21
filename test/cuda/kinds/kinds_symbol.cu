// Its host code writes a variable of the device's: nobody could answer for it with kernels apart.
#include "kinds.h"
#include "kinds_symbol.h"

namespace kinds {
template <>
int run<3>(float *x, int n) {
  const float by = n;
  const cudaError_t e = cudaMemcpyToSymbol(factor, &by, sizeof by);
  scale<<<1, 128>>>(x, n);
  return e;
}
}  // namespace kinds
