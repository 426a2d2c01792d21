// scan.cuh - the entry: the scan, an algorithm, and its kernels, which are adapters. The kernels have the tags of what they are linked with among their
// template arguments, because a launch says which kernel it wants and nothing else; the scan has not, so it is compiled once.
#pragma once
#include "seam.cuh"
#ifdef IVF_FLAT_WHOLE
#include "distance.cuh"
#include "filter_bitset_filter.cuh"
#include "filter_no_filter.cuh"
#include "post.cuh"
#endif

namespace ivf_flat {

#if defined IVF_FLAT_WHOLE || defined IVF_FLAT_PLAIN
template <class Parts> struct parts;
template <class M, class F, class P> struct parts<included<M, F, P>> {
  using metric = M;
  using filter = F;
  using post = P;
};
template <class Parts, class T, class Acc, int Veclen> __device__ Acc compute_distance(Acc acc, const T *x, const T *y) {
  return distance_of<typename parts<Parts>::metric, T, Acc, Veclen>(acc, x, y);
}
template <class Parts> __device__ bool apply_filter(const search &s, int id) {
  return passes<typename parts<Parts>::filter>(s, id);
}
template <class Parts> __device__ float post_process(float distance) {
  return processed<typename parts<Parts>::post>(distance);
}
#endif

constexpr int warp = 32;

// The best rows that a warp has seen, in order. Of equal distances the smaller id is the better one.
template <int Capacity, bool Ascending> class best {
  static constexpr int slots = (Capacity + warp - 1) / warp; // of a thread: entry I is in slot I / 32 of thread I % 32
  float distance_[slots];
  int id_[slots], lane_;

  static __device__ bool better(float d, int id, float than, int than_id) {
    return than_id < 0 || d != than ? than_id < 0 || (Ascending ? d < than : d > than) : id < than_id;
  }

public:
  __device__ explicit best(int lane) : lane_(lane) {
    for (int i = 0; i < slots; i++) {
      distance_[i] = 0;
      id_[i] = -1;
    }
  }

  // All threads call it with the same row: what is worse moves one place on.
  __device__ void add(float d, int id) {
    int at = 0;
    for (int i = 0; i < slots; i++)
      at += __popc(__ballot_sync(~0u, i * warp + lane_ < Capacity && !better(d, id, distance_[i], id_[i])));
    float carried = 0;
    int carried_id = -1;
    for (int i = 0; i < slots; i++) {
      const float before = __shfl_up_sync(~0u, distance_[i], 1), last = __shfl_sync(~0u, distance_[i], warp - 1);
      const int before_id = __shfl_up_sync(~0u, id_[i], 1), last_id = __shfl_sync(~0u, id_[i], warp - 1);
      const int here = i * warp + lane_;
      if (here > at) {
        distance_[i] = lane_ ? before : carried;
        id_[i] = lane_ ? before_id : carried_id;
      } else if (here == at) {
        distance_[i] = d;
        id_[i] = id;
      }
      carried = last;
      carried_id = last_id;
    }
  }

  __device__ void store(float *distances, int *ids) const {
    for (int i = 0; i < slots; i++)
      if (i * warp + lane_ < Capacity) {
        distances[i * warp + lane_] = distance_[i];
        ids[i * warp + lane_] = id_[i];
      }
  }
};

// The distance of QUERY to the row whose first chunk is at ROW.
template <class Parts, class T, class Acc, int Veclen, bool Normalised>
__device__ float distance_to(const T *query, const T *row, int dim) {
  Acc acc = 0, xx = 0, yy = 0;
  for (int k = 0; k < dim; k += Veclen, row += warp * Veclen) {
    acc = compute_distance<Parts, T, Acc, Veclen>(acc, query + k, row);
    for (int v = 0; Normalised && v < Veclen; v++) {
      xx += static_cast<Acc>(query[k + v]) * static_cast<Acc>(query[k + v]);
      yy += static_cast<Acc>(row[v]) * static_cast<Acc>(row[v]);
    }
  }
  return post_process<Parts>(Normalised ? float(acc) / sqrtf(float(xx) * float(yy)) : float(acc));
}

// One warp looks through one list for one query.
template <class Parts, class T, class Acc, int Veclen, int Capacity, bool Ascending, bool Normalised>
__device__ void scan_list(const search &s) {
  const int query = blockIdx.y, probe = blockIdx.x, lane = threadIdx.x, list = s.probes[query * s.nprobes + probe];
  const T *q = static_cast<const T *>(s.queries) + query * s.dim;
  const int first = s.first[list], count = s.count[list];
  best<Capacity ? Capacity : 1, Ascending> found(lane);
  for (int group = 0; group < count; group += warp) {
    const T *row = static_cast<const T *>(s.rows) + (first + group) * s.dim + lane * Veclen;
    const bool is = group + lane < count;
    const int id = is ? s.ids[first + group + lane] : 0;
    const float d = distance_to<Parts, T, Acc, Veclen, Normalised>(q, row, s.dim);
    const bool passes = is && apply_filter<Parts>(s, id);
    if (Capacity == 0 && passes)
      s.distances[query * s.nrows + first + group + lane] = d;
    for (unsigned who = Capacity ? __ballot_sync(~0u, passes) : 0; who; who &= who - 1)
      found.add(__shfl_sync(~0u, d, __ffs(who) - 1), __shfl_sync(~0u, id, __ffs(who) - 1));
  }
  const int at = (query * s.nprobes + probe) * Capacity;
  if (Capacity)
    found.store(s.distances + at, s.found + at);
}

template <class Metric, class Filter, class Post, class T, class Acc, int Veclen, int Capacity, bool Ascending, bool Normalised>
__global__ void scan_kernel(search s) {
  scan_list<parts_of<Metric, Filter, Post>, T, Acc, Veclen, Capacity, Ascending, Normalised>(s);
}

// ---- the host's side: which kernel it is ----

template <class T, class Acc, int Veclen, int Capacity, bool Ascending, bool Normalised> struct launcher {
  template <class M, class F, class P> static int launch(const search &s) {
    scan_kernel<M, F, P, T, Acc, Veclen, Capacity, Ascending, Normalised><<<dim3(s.nprobes, s.nqueries), warp>>>(s);
    return cudaGetLastError();
  }
  template <class M, class F> static int with_post(const search &s, post p) {
    return p == IDENTITY ? launch<M, F, identity>(s) : p == SQUARE_ROOT ? launch<M, F, square_root>(s) : launch<M, F, composed>(s);
  }
  template <class M> static int with_filter(const search &s, filter f, post p) {
    return f == NO_FILTER ? with_post<M, no_filter>(s, p) : with_post<M, bitset_filter>(s, p);
  }
  static int with_metric(const search &s, metric m, filter f, post p) {
    return m == EUCLIDEAN ? with_filter<euclidean>(s, f, p) : with_filter<inner_product>(s, f, p);
  }
};

} // namespace ivf_flat
