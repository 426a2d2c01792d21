// reference.hpp - a small index, and the same search on the CPU. All elements are small integers, so that sums are exact in any order.
#pragma once
#include "ivf_flat.hpp"
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ivf_flat {

struct host_index {
  static constexpr int dim = 32, nqueries = 3, nprobes = 2;
  std::vector<int> first, count, ids, probes;
  std::vector<int> rows, queries; // elements, not interleaved: of row R, R * dim and on
  std::vector<std::uint32_t> allowed;
  int nrows = 0;

  host_index() {
    unsigned state = 1;
    auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 16; };
    for (int n : {1, 31, 32, 70, 300}) {
      first.push_back(nrows);
      count.push_back(n);
      nrows += (n + 31) / 32 * 32;
    }
    for (int i = 0; i < nrows; i++)
      ids.push_back((i * 7 + 3) % nrows);
    for (int i = 0; i < nrows * dim; i++)
      rows.push_back(i % dim ? next() % 5 : 1); // no row is zero: some are divided by their length
    for (int i = 0; i < nqueries * dim; i++)
      queries.push_back(i % dim ? next() % 7 : 1);
    for (int i = 0; i < nqueries * nprobes; i++)
      probes.push_back((i * 3 + 4) % int(count.size()));
    for (int i = 0; i <= nrows / 32; i++)
      allowed.push_back(next() * 65537u ^ next());
  }

  // the place of element K of row R, in chunks of VECLEN
  static int interleaved(int r, int k, int veclen) { return r / 32 * 32 * dim + (k / veclen * 32 + r % 32) * veclen + k % veclen; }
};

inline float reference_distance(const host_index &x, const scan &s, metric m, post p, int query, int row) {
  int sum = 0, xx = 0, yy = 0;
  for (int k = 0; k < x.dim; k++) {
    const int a = x.queries[query * x.dim + k], b = x.rows[row * x.dim + k];
    sum += m == EUCLIDEAN ? (a - b) * (a - b) : a * b;
    xx += a * a;
    yy += b * b;
  }
  const float d = s.normalised ? float(sum) / std::sqrt(float(xx) * float(yy)) : float(sum);
  return p == IDENTITY ? d : p == SQUARE_ROOT ? std::sqrt(std::fabs(d)) : 1 - std::sqrt(std::fabs(d));
}

// What S writes: distances and ids; with capacity 0 distances alone, and -7 for rows that it does not write.
inline void reference(const host_index &x, const scan &s, metric m, filter f, post p, std::vector<float> &distances, std::vector<int> &found) {
  distances.assign(x.nqueries * (s.capacity ? x.nprobes * s.capacity : x.nrows), s.capacity ? 0.0f : -7.0f);
  found.assign(x.nqueries * x.nprobes * s.capacity, -1);
  for (int q = 0; q < x.nqueries; q++)
    for (int probe = 0; probe < x.nprobes; probe++) {
      const int list = x.probes[q * x.nprobes + probe];
      std::vector<std::pair<float, int>> all;
      for (int r = x.first[list]; r < x.first[list] + x.count[list]; r++) {
        const int id = x.ids[r];
        if (f == BITSET_FILTER && !(x.allowed[id / 32] >> id % 32 & 1))
          continue;
        const float d = reference_distance(x, s, m, p, q, r);
        if (s.capacity == 0)
          distances[q * x.nrows + r] = d;
        all.emplace_back(s.ascending ? d : -d, id);
      }
      std::sort(all.begin(), all.end());
      for (int i = 0; i < s.capacity && i < int(all.size()); i++) {
        distances[(q * x.nprobes + probe) * s.capacity + i] = s.ascending ? all[i].first : -all[i].first;
        found[(q * x.nprobes + probe) * s.capacity + i] = all[i].second;
      }
    }
}

} // namespace ivf_flat
