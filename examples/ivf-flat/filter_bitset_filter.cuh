// filter_bitset_filter.cuh - the filter that knows of each row whether it passes.
#pragma once
#include "seam.cuh"

namespace ivf_flat {

template <class Filter> __device__ bool passes(const search &s, int id);
template <> __device__ inline bool passes<bitset_filter>(const search &s, int id) {
  return s.allowed[id / 32] >> id % 32 & 1;
}

} // namespace ivf_flat
