// post.cuh - the algorithms behind post_process.
#pragma once
#include "seam.cuh"

namespace ivf_flat {

template <class Post> struct processing;
template <> struct processing<identity> {
  static __device__ float of(float distance) { return distance; }
};
template <> struct processing<square_root> {
  static __device__ float of(float distance) { return sqrtf(fabsf(distance)); }
};
template <> struct processing<composed> {
  static __device__ float of(float distance) { return 1 - processing<square_root>::of(distance); }
};

template <class Post> __device__ float processed(float distance) { return processing<Post>::of(distance); }

} // namespace ivf_flat
