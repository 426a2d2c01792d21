// filter_bitset_filter.cuh - the filter that knows of each row whether it passes.
#pragma once
#include "filter.cuh"

namespace ivf_flat {

template <> struct rule<bitset_filter> {
  static __device__ bool passes(const search &s, int id) { return s.allowed[id / 32] >> id % 32 & 1; }
};

} // namespace ivf_flat
