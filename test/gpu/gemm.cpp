// Instances of ComposableKernel's GEMM (c[m, n] = a[m, k] * b[n, k]) of one type on random input: prints the
// bits of the results, and whether they are those of sums on the host within rounding. Each instance has a
// kernel with a loop over k and one without. TYPE is f32, f16 or bf16, INSTANCES the function of the unit.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <type_traits>
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
using f32 = float;
using f16 = half_t;
using bf16 = bhalf_t;
using Type = TYPE;
using Gemm = DeviceGemm<Row, Col, Row, Type, Type, Type, Op, Op, Op>;
void INSTANCES(std::vector<std::unique_ptr<Gemm>> &);
}  // namespace ck::tensor_operation::device::instance
using namespace ck::tensor_operation::device::instance;

#define DO(what)                                                        \
  do {                                                                  \
    hipError_t e_ = (what);                                             \
    if (e_) return printf("%s: %s\n", #what, hipGetErrorString(e_)), 1; \
  } while (0)

static float to_float(ck::bhalf_t x) {
  unsigned word = unsigned(x) << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}
static float to_float(ck::half_t x) { return x; }
static float to_float(float x) { return x; }
static void from_float(float value, ck::bhalf_t &x) {
  unsigned word;
  memcpy(&word, &value, sizeof word);
  x = ck::bhalf_t(word >> 16);
}
static void from_float(float value, ck::half_t &x) { x = ck::half_t(value); }
static void from_float(float value, float &x) { x = value; }

static int gemm(Gemm &g, int K) {
  constexpr int M = 256, N = 256;
  constexpr double rounding = sizeof(Type) == 4 ? 1e-4 : std::is_same_v<Type, f16> ? 2e-3 : 1e-2;
  std::vector<Type> a(M * K), b(N * K), c(M * N);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> value(-1, 1);
  for (Type &x : a) from_float(value(random), x);
  for (Type &x : b) from_float(value(random), x);
  Type *device[3];
  DO(hipMalloc(&device[0], a.size() * sizeof(Type)));
  DO(hipMalloc(&device[1], b.size() * sizeof(Type)));
  DO(hipMalloc(&device[2], c.size() * sizeof(Type)));
  DO(hipMemcpy(device[0], a.data(), a.size() * sizeof(Type), hipMemcpyHostToDevice));
  DO(hipMemcpy(device[1], b.data(), b.size() * sizeof(Type), hipMemcpyHostToDevice));
  auto argument = g.MakeArgumentPointer(device[0], device[1], device[2], M, N, K, K, K, N, Op{}, Op{}, Op{});
  if (!g.IsSupportedArgument(argument.get())) return printf("%s: not supported\n", g.GetTypeString().c_str()), 1;
  g.MakeInvokerPointer()->Run(argument.get(), StreamConfig{nullptr, false});
  DO(hipGetLastError());
  DO(hipMemcpy(c.data(), device[2], c.size() * sizeof(Type), hipMemcpyDeviceToHost));
  unsigned long bits = 0;
  bool valid = true;
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N; n++) {
      unsigned word = 0;
      double sum = 0, is = to_float(c[m * N + n]);
      memcpy(&word, &c[m * N + n], sizeof(Type));
      bits = bits * 1000003 + word;
      for (int k = 0; k < K; k++) sum += double(to_float(a[m * K + k])) * to_float(b[n * K + k]);
      valid = valid && std::fabs(sum - is) < rounding * (1 + std::fabs(sum));
    }
  printf("%s, k = %d: %016lx, %a, valid:%c\n", g.GetTypeString().c_str(), K, bits, double(to_float(c.back())), valid ? 'y' : 'n');
  for (Type *p : device) DO(hipFree(p));
  return !valid;
}

extern "C" __attribute__((visibility("default"))) int run(const char *) {
  std::vector<std::unique_ptr<Gemm>> all;
  int failed = 0;
  INSTANCES(all);
  for (auto &g : all)
    for (int K : {16, 64}) failed += gemm(*g, sizeof(Type) == 4 ? K : 4 * K);
  return failed || all.empty();
}
