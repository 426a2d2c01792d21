// dot_do_o of ComposableKernel's backward attention (d = rowsum(o * do)) on random input: prints the
// bits of the results, and whether they are those of a sum on the host within rounding.
#include "fmha_bwd.hpp"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#define DO(what)                                                                   \
  do {                                                                             \
    hipError_t e_ = (what);                                                        \
    if (e_) return printf("%s: %s\n", #what, hipGetErrorString(e_)), 1;            \
  } while (0)

template <class T, class Type, int D> static int dot_do_o(const char *name) {
  constexpr int batch = 2, heads = 3, rows = 64;
  constexpr size_t n = size_t(batch) * heads * rows;
  std::vector<Type> o(n * D), d_o(n * D);
  std::vector<float> d(n);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-1, 1);
  for (Type &x : o) x = ck_tile::type_convert<Type>(value(random));
  for (Type &x : d_o) x = ck_tile::type_convert<Type>(value(random));
  void *device[3];
  DO(hipMalloc(&device[0], n * D * sizeof(Type)));
  DO(hipMalloc(&device[1], n * D * sizeof(Type)));
  DO(hipMalloc(&device[2], n * sizeof(float)));
  DO(hipMemcpy(device[0], o.data(), n * D * sizeof(Type), hipMemcpyHostToDevice));
  DO(hipMemcpy(device[1], d_o.data(), n * D * sizeof(Type), hipMemcpyHostToDevice));
  fmha_bwd_args a{};
  a.o_ptr = device[0], a.do_ptr = device[1], a.d_ptr = device[2], a.p_undrop = 1;
  a.seqlen_q = a.max_seqlen_q = rows, a.hdim_v = a.hdim_q = D, a.batch = batch, a.nhead_q = a.nhead_k = heads;
  a.stride_do = a.stride_o = D;
  a.nhead_stride_do = a.nhead_stride_o = rows * D, a.nhead_stride_lsed = rows;
  a.batch_stride_do = a.batch_stride_o = heads * rows * D, a.batch_stride_lsed = heads * rows;
  fmha_bwd_dot_do_o_oneshot_<T>(ck_tile::stream_config{nullptr}, a);
  DO(hipGetLastError());
  DO(hipMemcpy(d.data(), device[2], n * sizeof(float), hipMemcpyDeviceToHost));
  unsigned long bits = 0;
  bool valid = true;
  for (size_t i = 0; i < n; i++) {
    unsigned word;
    memcpy(&word, &d[i], sizeof word);
    bits = bits * 1000003 + word;
    double sum = 0;
    for (int k = 0; k < D; k++)
      sum += double(ck_tile::type_convert<float>(o[i * D + k])) * ck_tile::type_convert<float>(d_o[i * D + k]);
    valid = valid && std::fabs(sum - d[i]) < 1e-4;
  }
  printf("%s, %s: %016lx, %a, valid:%c\n", name, fmha_bwd_dot_do_o_get_name_<T>().c_str(), bits, d[n - 1], valid ? 'y' : 'n');
  return !valid;
}

extern "C" __attribute__((visibility("default"))) int run(const char *what) {
  if (!strcmp(what, "fp16"))
    return dot_do_o<fmha_bwd_dot_do_o_traits_<32, FmhaBwdFp16, false, false, false>, ck_tile::half_t, 32>(what);
  if (!strcmp(what, "bf16"))
    return dot_do_o<fmha_bwd_dot_do_o_traits_<64, FmhaBwdBf16, false, false, false>, ck_tile::bf16_t, 64>(what);
  return printf("%s: no such case\n", what), 1;
}
