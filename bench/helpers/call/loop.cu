// loop.cu - the nanoseconds of one call, over N calls; the first, which may compile, does not count. And the microseconds of the
// first one alone.
#include "kernel.h"
#include <chrono>
extern "C" __attribute__((visibility("default"))) double ns_per_call(long n) {
  stream s = {};
  kernel_args a = {};
  float sum = kernel_<traits<64>>(s, a);
  auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < n; i++) {
    a.scale = sum;
    sum += kernel_<traits<64>>(s, a);
  }
  std::chrono::duration<double, std::nano> d = std::chrono::steady_clock::now() - start;
  return sum < 0 ? -1 : d.count() / n;
}
extern "C" __attribute__((visibility("default"))) double us_of_first() {
  stream s = {};
  kernel_args a = {};
  auto start = std::chrono::steady_clock::now();
  float sum = kernel_<traits<64>>(s, a);
  std::chrono::duration<double, std::micro> d = std::chrono::steady_clock::now() - start;
  return sum < 0 ? -1 : d.count();
}
