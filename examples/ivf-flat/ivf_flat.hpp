// ivf_flat.hpp - what a caller of the library sees: the scans that it was built with, and how to launch one.
//
// An index is a set of lists of vectors. A search looks for each query through some of the lists, its probes, and keeps for each of them the
// Capacity best rows. Rows of a list are stored in groups of 32, interleaved by chunks of Veclen elements, so that the 32 threads of a warp read
// neighbouring chunks; a list is filled up to a multiple of 32 rows.
#pragma once
#include <cstdint>

namespace ivf_flat {

// one search; all pointers are the device's
struct search {
  const void *queries;          // dim elements each
  const void *rows;             // of all lists, interleaved
  const int *first;             // of each list: its first row, a multiple of 32
  const int *count;             // … and how many it has
  const int *ids;               // of each row
  const int *probes;            // of each query: its lists
  const std::uint32_t *allowed; // of the bitset filter: bit I is the row with id I
  float *distances;             // of each query, of each probe: capacity of them, the best first; with capacity 0 one for each row of the index
  int *found;                   // their ids, -1 behind the last
  int nqueries, nprobes, nrows, dim;
};

enum metric { EUCLIDEAN, INNER_PRODUCT };
enum filter { NO_FILTER, BITSET_FILTER };
enum post { IDENTITY, SQUARE_ROOT, COMPOSED };

// a scan that the library has: what it was generated with
struct scan {
  const char *name, *type; // type: f32, f16, i8 or u8
  int veclen, capacity;    // capacity 0: all distances, none is selected
  bool ascending;          // the smallest distances are the best
  bool normalised;         // distances are divided by the lengths of both vectors
  int (*launch)(const search &s, metric m, filter f, post p); // returns a cudaError_t; asynchronous, in the default stream
  const scan *next;
};

// The first of them, in no order.
extern "C" const scan *ivf_flat_scans();
// Called by each scan's unit when the library is loaded.
int add_scan(scan &s);

} // namespace ivf_flat
