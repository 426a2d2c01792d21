// check.cpp - calls of mini-flash, each compared with the same attention on the processor.
//
//     check [CASE...]    dtype:dim:causal:window:alibi:lse:splits, such as 1:64:1:-1:0:1:1; default: a dozen of them
//     check --launch CASE    one call, nothing compared: for machines without a GPU, where it fails behind the compile
#include "mini_flash.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

using MINI_FLASH_NAMESPACE::Fwd_params;

namespace {

struct Case {
  int dtype, dim, causal, window, alibi, lse, splits;
};

constexpr int Batch = 2, Heads = 3, Queries = 45, Keys = 70;

bool parse(const char *text, Case &c) {
  return std::sscanf(text, "%d:%d:%d:%d:%d:%d:%d", &c.dtype, &c.dim, &c.causal, &c.window, &c.alibi, &c.lse, &c.splits) == 7;
}

void require(cudaError_t e, const char *what) {
  if (e == cudaSuccess)
    return;
  std::fprintf(stderr, "check: %s: %s\n", what, cudaGetErrorString(e));
  std::exit(3);
}

template <typename T>
float round_to(float x) {
  return float(T(x));
}

float rounded(int dtype, float x) {
  return dtype == 0 ? x : dtype == 1 ? round_to<__half>(x) : round_to<__nv_bfloat16>(x);
}

template <typename T>
void *to_device(const std::vector<float> &v) {
  std::vector<T> t(v.begin(), v.end());
  void *d = nullptr;
  require(cudaMalloc(&d, t.size() * sizeof(T)), "cudaMalloc");
  require(cudaMemcpy(d, t.data(), t.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return d;
}

void *upload(int dtype, const std::vector<float> &v) {
  return dtype == 0 ? to_device<float>(v) : dtype == 1 ? to_device<__half>(v) : to_device<__nv_bfloat16>(v);
}

template <typename T>
std::vector<float> from_device(const void *d, size_t n) {
  std::vector<T> t(n);
  require(cudaMemcpy(t.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return std::vector<float>(t.begin(), t.end());
}

std::vector<float> download(int dtype, const void *d, size_t n) {
  return dtype == 0   ? from_device<float>(d, n)
         : dtype == 1 ? from_device<__half>(d, n)
                      : from_device<__nv_bfloat16>(d, n);
}

struct Inputs {
  std::vector<float> q, k, v, slopes;
};

Inputs make_inputs(const Case &c) {
  std::mt19937 random(42);
  std::normal_distribution<float> normal;
  Inputs in;
  in.q.resize(size_t(Batch) * Heads * Queries * c.dim);
  in.k.resize(size_t(Batch) * Heads * Keys * c.dim);
  in.v.resize(in.k.size());
  for (auto *v : {&in.q, &in.k, &in.v})
    for (float &x : *v)
      x = rounded(c.dtype, normal(random));
  for (int h = 0; h < Heads; h++)
    in.slopes.push_back(std::exp2(-float(h + 1)));
  return in;
}

// Row ROW of batch-and-head BH by the definition, in double.
void reference(const Case &c, const Inputs &in, int bh, int row, std::vector<double> &o, double &lse) {
  const int diagonal = row + Keys - Queries;
  std::vector<double> s(Keys, -INFINITY);
  double most = -INFINITY, sum = 0;
  for (int key = 0; key < Keys; key++) {
    if ((c.causal && key > diagonal) || (c.window >= 0 && key < diagonal - c.window))
      continue;
    double dot = 0;
    for (int d = 0; d < c.dim; d++)
      dot += double(in.q[(size_t(bh) * Queries + row) * c.dim + d]) * in.k[(size_t(bh) * Keys + key) * c.dim + d];
    s[key] = dot / std::sqrt(double(c.dim)) - (c.alibi ? in.slopes[bh % Heads] * std::fabs(double(diagonal - key)) : 0);
    most = std::fmax(most, s[key]);
  }
  o.assign(c.dim, 0);
  for (int key = 0; key < Keys; key++) {
    const double p = std::exp(s[key] - most);
    sum += p;
    for (int d = 0; d < c.dim; d++)
      o[d] += p * in.v[(size_t(bh) * Keys + key) * c.dim + d];
  }
  for (double &x : o)
    x /= sum;
  lse = most + std::log(sum);
}

double worst(const Case &c, const Inputs &in, const std::vector<float> &o, const std::vector<float> &lse) {
  double error = 0;
  for (int bh = 0; bh < Batch * Heads; bh++)
    for (int row = 0; row < Queries; row++) {
      std::vector<double> want;
      double want_lse;
      reference(c, in, bh, row, want, want_lse);
      const size_t at = size_t(bh) * Queries + row;
      for (int d = 0; d < c.dim; d++)
        error = std::fmax(error, std::fabs(o[at * c.dim + d] - want[d]));
      if (c.lse)
        error = std::fmax(error, std::fabs(lse[at] - want_lse));
    }
  return error;
}

Fwd_params shape(const Case &c) {
  Fwd_params p = {};
  p.batch = Batch;
  p.heads = Heads;
  p.seqlen_q = Queries;
  p.seqlen_k = Keys;
  p.dim = c.dim;
  p.window = c.window;
  p.scale = 1 / std::sqrt(float(c.dim));
  p.splits = c.splits;
  return p;
}

bool check(const Case &c) {
  const Inputs in = make_inputs(c);
  Fwd_params p = shape(c);
  const size_t rows = size_t(Batch) * Heads * Queries;
  void *o = upload(c.dtype, std::vector<float>(rows * c.dim)), *lse = upload(0, std::vector<float>(rows));
  p.q = upload(c.dtype, in.q);
  p.k = upload(c.dtype, in.k);
  p.v = upload(c.dtype, in.v);
  p.o = o;
  p.lse = c.lse ? static_cast<float *>(lse) : nullptr;
  p.alibi = c.alibi ? static_cast<float *>(upload(0, in.slopes)) : nullptr;
  p.partial = c.splits > 1 ? static_cast<float *>(upload(0, std::vector<float>(c.splits * rows * (c.dim + 2)))) : nullptr;
  const auto start = std::chrono::steady_clock::now();
  const int status = mini_flash_fwd(p, c.dtype, c.causal, nullptr);
  require(cudaDeviceSynchronize(), "the kernel");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double error = status ? -1 : worst(c, in, download(c.dtype, o, rows * c.dim), download(0, lse, rows));
  const double bound = c.dtype == 0 ? 1e-5 : c.dtype == 1 ? 2e-3 : 1.6e-2;
  std::printf("%d:%d:%d:%d:%d:%d:%d  error %.2g  %s  %.2f s\n", c.dtype, c.dim, c.causal, c.window, c.alibi, c.lse, c.splits,
              error, status || !(error <= bound) ? "WRONG" : "right", seconds);
  return !status && error <= bound;
}

int launch(const Case &c) {
  Fwd_params p = shape(c);
  float dummy;
  p.lse = c.lse ? &dummy : nullptr;
  p.alibi = c.alibi ? &dummy : nullptr;
  try {
    mini_flash_fwd(p, c.dtype, c.causal, nullptr);
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  Case c;
  if (argc == 3 && std::strcmp(argv[1], "--launch") == 0 && parse(argv[2], c))
    return launch(c);
  static const char *const all[] = {"0:32:0:-1:0:0:1", "0:64:1:-1:0:1:1", "1:32:0:10:0:1:1", "1:64:0:-1:1:0:1",
                                    "1:64:1:20:1:1:1", "2:32:1:-1:1:0:1", "2:64:0:-1:0:0:1", "2:64:1:-1:0:0:1",
                                    "0:32:0:-1:0:1:3", "1:64:1:-1:0:0:4", "2:32:1:8:1:1:2",  "1:64:0:-1:0:0:1"};
  bool good = true;
  for (int i = 1; i < argc; i++) {
    if (!parse(argv[i], c)) {
      std::fprintf(stderr, "check: '%s': expected dtype:dim:causal:window:alibi:lse:splits\n", argv[i]);
      return 2;
    }
    good &= check(c);
  }
  if (argc == 1)
    for (const char *text : all)
      good &= parse(text, c) && check(c);
  return good ? 0 : 1;
}
