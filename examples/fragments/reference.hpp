// reference.hpp - the same on the CPU, for machines without a GPU.
#pragma once
#include "search.hpp"
#include <type_traits>

namespace search {

template <typename T, typename Distance, typename Filter> void reference(const problem &p) {
  const T *query = static_cast<const T *>(p.query), *data = static_cast<const T *>(p.data);
  for (int row = 0; row < p.rows; row++) {
    float sum = 0;
    for (int k = 0; k < p.dim; k++) {
      const float a = query[k], b = data[row * p.dim + k];
      sum += std::is_same<Distance, euclidean>::value ? (a - b) * (a - b) : a * b;
    }
    const bool keep = std::is_same<Filter, no_filter>::value || (p.allowed[row / 32] >> row % 32 & 1);
    p.result[row] = keep ? sum : -1.0f;
  }
}

} // namespace search
