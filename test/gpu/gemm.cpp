// Instances of ComposableKernel's f32 GEMM (c[m, n] = a[m, k] * b[n, k]) on random input: prints the bits
// of the results, and whether they are those of sums on the host within rounding. Each instance has a
// kernel with a loop over k and one without.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <vector>
#include "ck/ck.hpp"
#include "ck/stream_config.hpp"
#include "ck/tensor_operation/gpu/device/device_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

namespace ck::tensor_operation::device::instance {
using Row = tensor_layout::gemm::RowMajor;
using Col = tensor_layout::gemm::ColumnMajor;
using Op = element_wise::PassThrough;
using Gemm = DeviceGemm<Row, Col, Row, float, float, float, Op, Op, Op>;
void add_device_gemm_xdl_f32_f32_f32_mk_nk_mn_instances(std::vector<std::unique_ptr<Gemm>> &);
}  // namespace ck::tensor_operation::device::instance
using namespace ck::tensor_operation::device::instance;

#define DO(what)                                                        \
  do {                                                                  \
    hipError_t e_ = (what);                                             \
    if (e_) return printf("%s: %s\n", #what, hipGetErrorString(e_)), 1; \
  } while (0)

static int gemm(Gemm &g, int K) {
  constexpr int M = 64, N = 128;
  std::vector<float> a(M * K), b(N * K), c(M * N);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> value(-1, 1);
  for (float &x : a) x = value(random);
  for (float &x : b) x = value(random);
  float *device[3];
  DO(hipMalloc(&device[0], a.size() * 4));
  DO(hipMalloc(&device[1], b.size() * 4));
  DO(hipMalloc(&device[2], c.size() * 4));
  DO(hipMemcpy(device[0], a.data(), a.size() * 4, hipMemcpyHostToDevice));
  DO(hipMemcpy(device[1], b.data(), b.size() * 4, hipMemcpyHostToDevice));
  auto argument = g.MakeArgumentPointer(device[0], device[1], device[2], M, N, K, K, K, N, Op{}, Op{}, Op{});
  if (!g.IsSupportedArgument(argument.get())) return printf("%s: not supported\n", g.GetTypeString().c_str()), 1;
  g.MakeInvokerPointer()->Run(argument.get(), StreamConfig{nullptr, false});
  DO(hipGetLastError());
  DO(hipMemcpy(c.data(), device[2], c.size() * 4, hipMemcpyDeviceToHost));
  unsigned long bits = 0;
  bool valid = true;
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) {
      unsigned word;
      double sum = 0;
      memcpy(&word, &c[m * N + n], sizeof word);
      bits = bits * 1000003 + word;
      for (int k = 0; k < K; k++) sum += double(a[m * K + k]) * b[n * K + k];
      valid = valid && std::fabs(sum - c[m * N + n]) < 1e-4;
    }
  printf("%s, k = %d: %016lx, %a, valid:%c\n", g.GetTypeString().c_str(), K, bits, c.back(), valid ? 'y' : 'n');
  for (float *p : device) DO(hipFree(p));
  return !valid;
}

extern "C" __attribute__((visibility("default"))) int run(const char *) {
  std::vector<std::unique_ptr<Gemm>> all;
  int failed = 0;
  add_device_gemm_xdl_f32_f32_f32_mk_nk_mn_instances(all);
  for (auto &g : all)
    for (int K : {16, 64}) failed += gemm(*g, K);
  return failed || all.empty();
}
