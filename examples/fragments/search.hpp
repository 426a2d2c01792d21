// search.hpp - what a caller of the library sees: one function, with a specialisation for each combination of element
// type, distance and filter.
#pragma once
#include "tags.hpp"
#include <cstdint>

namespace search {

struct problem {
  const void *query, *data;    // dim elements; rows of dim elements
  float *result;               // of each row: its distance, or -1 where the filter drops it
  const std::uint32_t *allowed; // of the bitset filter: bit I is row I
  int rows, dim;
};

// Compute P; where the result was computed: "gpu", or "cpu" on a machine without one.
template <typename T, typename Distance, typename Filter> const char *run(const problem &p);

} // namespace search
