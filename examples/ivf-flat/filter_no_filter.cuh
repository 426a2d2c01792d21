// filter_no_filter.cuh - the filter that lets all rows pass.
#pragma once
#include "filter.cuh"

namespace ivf_flat {

template <> struct rule<no_filter> {
  static __device__ bool passes(const search &, int) { return true; }
};

} // namespace ivf_flat
