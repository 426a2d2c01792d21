// main.cpp - [--every N [--from K]] [TEXT…]: compute the combinations of the library's scans on the GPU, and compare each with the CPU's: of the scans with
// a TEXT in their name, of all if there is none; of the combinations every Nth, from number K on. It says what first and later launches took.
#include "reference.hpp"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <memory>
#include <string>

using namespace ivf_flat;

namespace {

void check(cudaError_t e, const char *what) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "ivf-flat: %s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
  }
}

// N bytes of the device's, given back in the end; a copy of FROM, unless that is null
struct memory {
  void *at = nullptr;
  memory(const void *from, std::size_t n) {
    check(cudaMalloc(&at, n + 1), "cudaMalloc");
    if (from)
      check(cudaMemcpy(at, from, n, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  template <class T> explicit memory(const std::vector<T> &v) : memory(v.data(), v.size() * sizeof(T)) {}
  memory(const memory &) = delete;
  ~memory() { cudaFree(at); }
};

template <class T> std::unique_ptr<memory> elements(const std::vector<int> &from, int veclen) {
  std::vector<T> to(from.size());
  for (int i = 0; i < int(from.size()); i++)
    to[veclen ? host_index::interleaved(i / host_index::dim, i % host_index::dim, veclen) : i] = T(float(from[i]));
  return std::make_unique<memory>(to);
}

// as elements of TYPE, interleaved by VECLEN unless that is 0
std::unique_ptr<memory> elements_of(const std::string &type, const std::vector<int> &from, int veclen) {
  return type == "f32" ? elements<float>(from, veclen)
         : type == "f16" ? elements<__half>(from, veclen)
         : type == "i8"  ? elements<std::int8_t>(from, veclen)
                         : elements<std::uint8_t>(from, veclen);
}

using seconds = std::chrono::duration<double>;
std::vector<double> first_launches, later_launches;

// Launch it for the first time, and a hundred times more; take the times.
template <class F> void launch(const char *name, F once) {
  const auto begin = std::chrono::steady_clock::now();
  check(static_cast<cudaError_t>(once()), name);
  check(cudaDeviceSynchronize(), name);
  const auto middle = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; i++)
    check(static_cast<cudaError_t>(once()), name);
  check(cudaDeviceSynchronize(), name);
  first_launches.push_back(seconds(middle - begin).count());
  later_launches.push_back(seconds(std::chrono::steady_clock::now() - middle).count() / 100);
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

bool is_right(const host_index &x, const scan &s, metric m, filter f, post p) {
  static const memory first(x.first), count(x.count), ids(x.ids), probes(x.probes), allowed(x.allowed);
  const auto rows = elements_of(s.type, x.rows, s.veclen), queries = elements_of(s.type, x.queries, 0);
  std::vector<float> expected, distances;
  std::vector<int> expected_ids, found;
  reference(x, s, m, f, p, expected, expected_ids);
  distances.assign(expected.size(), -7.0f);
  found.assign(expected_ids.size(), -7);
  const memory out(distances), out_ids(found);
  const search all = {queries->at,
                      rows->at,
                      static_cast<int *>(first.at),
                      static_cast<int *>(count.at),
                      static_cast<int *>(ids.at),
                      static_cast<int *>(probes.at),
                      static_cast<std::uint32_t *>(allowed.at),
                      static_cast<float *>(out.at),
                      static_cast<int *>(out_ids.at),
                      x.nqueries,
                      x.nprobes,
                      x.nrows,
                      x.dim};
  launch(s.name, [&] { return s.launch(all, m, f, p); });
  check(cudaMemcpy(distances.data(), out.at, distances.size() * sizeof(float), cudaMemcpyDeviceToHost), s.name);
  check(cudaMemcpy(found.data(), out_ids.at, found.size() * sizeof(int), cudaMemcpyDeviceToHost), s.name);
  return distances == expected && found == expected_ids;
}

bool is_named(const scan &s, char **texts) {
  bool is = !*texts;
  for (; *texts; texts++)
    is |= std::strstr(s.name, *texts) != nullptr;
  return is;
}

} // namespace

int main(int argc, char **argv) {
  const int every = argc > 2 && std::strcmp(argv[1], "--every") == 0 ? std::atoi(argv[2]) : 0;
  const bool later = every && argc > 4 && std::strcmp(argv[3], "--from") == 0;
  const int from = later ? std::atoi(argv[4]) : 0;
  char **texts = argv + (later ? 5 : every ? 3 : 1);
  std::vector<const scan *> scans;
  for (const scan *s = ivf_flat_scans(); s; s = s->next)
    if (is_named(*s, texts))
      scans.push_back(s);
  std::sort(scans.begin(), scans.end(), [](const scan *a, const scan *b) { return std::strcmp(a->name, b->name) < 0; });
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices) {
    std::printf("no GPU: none of the %zu combinations of %zu scans was computed\n", scans.size() * 12, scans.size());
    return 0;
  }
  const host_index x;
  const auto begin = std::chrono::steady_clock::now();
  int n = 0, computed = 0, wrong = 0;
  for (const scan *s : scans)
    for (metric m : {EUCLIDEAN, INNER_PRODUCT})
      for (filter f : {NO_FILTER, BITSET_FILTER})
        for (post p : {IDENTITY, SQUARE_ROOT, COMPOSED})
          if (every <= 1 || n++ % every == from) {
            computed++;
            if (!is_right(x, *s, m, f, p))
              std::printf("%s, metric %d, filter %d, post %d: wrong\n", s->name, m, f, p), wrong++;
          }
  std::printf("%d combinations of %zu scans computed on the gpu in %.1f s: %d are wrong\n", computed, scans.size(),
              seconds(std::chrono::steady_clock::now() - begin).count(), wrong);
  if (computed)
    std::printf("a first launch took %.1f ms (median), a later one %.2f us\n", 1e3 * median(first_launches), 1e6 * median(later_launches));
  return wrong || !computed;
}
