// device.hpp - the seam: what the entry kernels call, and the fragments define. Two fragments define compute_distance,
// two apply_filter; each is compiled alone.
#pragma once
#include "tags.hpp"
#include <cstdint>
#include <hip/hip_runtime.h>

namespace search {

struct row_filter {
  const std::uint32_t *allowed;
};

template <typename T> __device__ float compute_distance(const T *query, const T *row, int dim);
template <typename Index> __device__ bool apply_filter(const row_filter &filter, Index row);

} // namespace search
