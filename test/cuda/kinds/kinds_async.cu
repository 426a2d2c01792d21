// The host writes a variable on a stream.
#include "kinds.h"
#include "kinds_symbol.h"

namespace kinds {
template <>
int run<7>(float *x, int n) {
  const float by = 2;
  const cudaError_t e = cudaMemcpyToSymbolAsync(factor, &by, sizeof by);
  scale<<<1, 128>>>(x, n);
  return e;
}
}  // namespace kinds
