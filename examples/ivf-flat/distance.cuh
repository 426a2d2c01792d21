// distance.cuh - the algorithms behind compute_distance.
#pragma once
#include "seam.cuh"

namespace ivf_flat {

template <class Metric> struct element;
template <> struct element<euclidean> {
  template <class Acc> static __device__ Acc add(Acc acc, Acc x, Acc y) { return acc + (x - y) * (x - y); }
};
template <> struct element<inner_product> {
  template <class Acc> static __device__ Acc add(Acc acc, Acc x, Acc y) { return acc + x * y; }
};

template <class Metric, class T, class Acc, int Veclen> __device__ Acc distance_of(Acc acc, const T *x, const T *y) {
#pragma unroll
  for (int k = 0; k < Veclen; k++)
    acc = element<Metric>::add(acc, static_cast<Acc>(x[k]), static_cast<Acc>(y[k]));
  return acc;
}

} // namespace ivf_flat
