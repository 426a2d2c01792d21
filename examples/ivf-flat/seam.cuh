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
// IVF_FLAT_PLAIN: a scan has the template arguments of its parts, as templates have them anywhere; each part is an instantiation somewhere else, with a symbol of
// its own. So no fragment has a tag, and nvcc alone links the same sources.
#if defined IVF_FLAT_WHOLE || defined IVF_FLAT_PLAIN
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

// the algorithms behind these, with all the template parameters that they have
template <class Metric, class T, class Acc, int Veclen> __device__ Acc distance_of(Acc acc, const T *x, const T *y);
template <class Filter> __device__ bool passes(const search &s, int id);
template <class Post> __device__ float processed(float distance);

} // namespace ivf_flat
