// post.cuh - the algorithms behind post_process.
#pragma once
#include "seam.cuh"

namespace ivf_flat {

template <class Post> __device__ float processed(float distance);
template <> __device__ inline float processed<identity>(float distance) { return distance; }
template <> __device__ inline float processed<square_root>(float distance) { return sqrtf(fabsf(distance)); }
template <> __device__ inline float processed<composed>(float distance) { return 1 - processed<square_root>(distance); }

} // namespace ivf_flat
