#include "api.hpp"
#include "gpu.h"
using trait = traits<2, true>;
template <class T> __global__ void kernel(int *p) { *p = 2; }
template <class T> __global__ void other(int *p) { *p += 2; }
template <> int fwd<trait>(const args &x, args y) {
  kernel<trait><<<1, 1>>>(nullptr);
  other<trait><<<1, 1>>>(nullptr);
  return x.n * 2 + y.n;
}
template <> int count<trait>(int x) { return 2 * x; }
