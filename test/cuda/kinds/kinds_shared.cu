// Two kernels that share a variable of the device's must be compiled together; the third, with a constant, need not.
#include "kinds.h"
#include "kinds_shared.h"

namespace kinds {
template <>
int run<2>(float *x, int n) {
  if (n == 0) { // one that only reads what another writes
    take<<<1, 1>>>(x);
    return cudaGetLastError();
  }
  weigh<<<1, 128>>>(x, n);
  if (n < 0) // a call of the second half only
    return 0;
  count<<<1, 128>>>(x, n);
  take<<<1, 1>>>(x);
  return cudaGetLastError();
}
}  // namespace kinds
