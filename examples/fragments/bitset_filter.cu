// A device fragment. Its tag is what a combination names it by.
#include "device.hpp"

using ckjit_fragment = search::bitset_filter;

namespace search {

template <> __device__ bool apply_filter<int>(const row_filter &filter, int row) {
  return filter.allowed[row / 32] >> row % 32 & 1;
}

} // namespace search
