// seam.cuh - what a scan calls and others define. Each function has the template parameters that its callers know, and no others: which distance it
// is, the scan does not know, so it is compiled once for all of them.
#pragma once
#include "ivf_flat.hpp"
#include "tags.hpp"
#include <cuda_fp16.h>

namespace ivf_flat {

struct linked {}; // the parts of a scan are linked to it: the fragments define them
template <class Metric, class Filter, class Post> struct included {};

// IVF_FLAT_WHOLE: without fragments each kernel has its parts in it, and each combination is compiled.
#ifdef IVF_FLAT_WHOLE
template <class Metric, class Filter, class Post> using parts_of = included<Metric, Filter, Post>;
#else
template <class Metric, class Filter, class Post> using parts_of = linked;
#endif

// ACC and what Veclen elements of X and Y add to it
template <class Parts, class T, class Acc, int Veclen> __device__ Acc compute_distance(Acc acc, const T *x, const T *y);
// May the row ID be found?
template <class Parts> __device__ bool apply_filter(const search &s, int id);
// what becomes of a distance in the end
template <class Parts> __device__ float post_process(float distance);

} // namespace ivf_flat
