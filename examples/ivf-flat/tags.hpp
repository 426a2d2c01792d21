// tags.hpp - names of distances, filters and post-processing, for the host's code and the device's. Nothing but names: what they stand for
// is in the fragments.
#pragma once

namespace ivf_flat {

struct euclidean {};
struct inner_product {};
struct no_filter {};
struct bitset_filter {};
struct identity {};
struct square_root {};
struct composed {};

} // namespace ivf_flat
