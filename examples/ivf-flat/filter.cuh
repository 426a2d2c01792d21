// filter.cuh - the algorithms behind apply_filter; filter_NAME.cuh has the rule of each.
#pragma once
#include "seam.cuh"

namespace ivf_flat {

template <class Filter> struct rule;
template <class Filter> __device__ bool passes(const search &s, int id) { return rule<Filter>::passes(s, id); }

} // namespace ivf_flat
