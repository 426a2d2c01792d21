#include "search.h"
template <class D> __global__ void scan(int *p) { *p = distance_of<int>(*p); }
template <> int run<square>(int n) {
  scan<square><<<1, 1>>>(nullptr);
  return n;
}
template <> int run<cube>(int n) {
  scan<cube><<<1, 1>>>(nullptr);
  return n;
}
