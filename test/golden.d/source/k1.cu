#include "api.hpp"
#include "gpu.h"
using trait = traits<1, true>;
template <class T> __global__ void kernel(int *p) { *p = 1; }
template <class T> __global__ void other(int *p) { *p += 1; }
template <> int fwd<trait>(const args &x, args y) {
  kernel<trait><<<1, 1>>>(nullptr);
  other<trait><<<1, 1>>>(nullptr);
  return x.n * 1 + y.n;
}
template <> int count<trait>(int x) { return 1 * x; }
