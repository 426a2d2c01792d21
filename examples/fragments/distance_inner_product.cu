// A device fragment. Its tag is what a combination names it by.
#include "device.hpp"

using ckjit_fragment = search::inner_product;

namespace search {

template <typename T> __device__ float compute_distance(const T *query, const T *row, int dim) {
  float sum = 0;
  for (int k = 0; k < dim; k++) {
    sum += float(query[k]) * float(row[k]);
  }
  return sum;
}

template __device__ float compute_distance<float>(const float *, const float *, int);
template __device__ float compute_distance<double>(const double *, const double *, int);
template __device__ float compute_distance<std::int8_t>(const std::int8_t *, const std::int8_t *, int);

} // namespace search
