// tags.hpp - names of distances and filters, for the host's code and the device's. Which code they stand for is chosen when
// a kernel is linked.
#pragma once

namespace search {

struct euclidean {};
struct inner_product {};
struct no_filter {};
struct bitset_filter {};

} // namespace search
