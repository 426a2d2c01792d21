#include "search.h"
template <class D> __global__ void scan(int *p) { *p = distance_of<int>(*p); }
extern "C" __attribute__((visibility("default"))) int call(int n) {
  if (n == 1) scan<square><<<1, 1>>>(nullptr);
  else scan<cube><<<1, 1>>>(nullptr);
  return n;
}
