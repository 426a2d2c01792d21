// Calls a dispatcher of CK with random arguments and says which kernels it chose, or how long that took. One
// library holds this, one dispatcher (stock or rewritten) and the forwarding units of its kernels; the units'
// trampoline is the one below, which notes who was called and returns. Compile with -DFWD, -DSPLITKV,
// -DPREFILL, -DBWD or -DLAUNCHER.
#if defined(BWD) || defined(LAUNCHER)
#include "fmha_bwd.hpp"
#else
#include "fmha_fwd.hpp"
#endif
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

// unit << 32 | function of each stub that was called, in a ring
extern "C" {
__attribute__((visibility("hidden"))) uint64_t dispatch_log[64], dispatch_calls;
}
__asm__(".text\n.globl ckjit_trampoline\n.hidden ckjit_trampoline\nckjit_trampoline:\n"
        "  pop %r10\n  pop %r11\n  shl $32, %r10\n  or %r11, %r10\n"
        "  mov dispatch_calls(%rip), %r11\n  lea dispatch_log(%rip), %rax\n"
        "  mov %r11, %rcx\n  and $63, %ecx\n  mov %r10, (%rax,%rcx,8)\n"
        "  inc %r11\n  mov %r11, dispatch_calls(%rip)\n"
        "  xorps %xmm0, %xmm0\n  xor %eax, %eax\n  ret\n");

// No GPU: what the dispatchers and launch_kernel ask of the runtime.
extern "C" {
hipError_t hipGetDevice(int *d) {
  return *d = 0, hipSuccess;
}
hipError_t hipGetLastError() {
  return hipSuccess;
}
hipError_t hipPeekAtLastError() {
  return hipSuccess;
}
}
#undef hipGetDeviceProperties
extern "C" hipError_t hipGetDeviceProperties(hipDeviceProp_t *p, int) {
  return p->multiProcessorCount = 304, hipSuccess;
}
extern "C" hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *p, int) {
  return p->multiProcessorCount = 304, hipSuccess;
}

namespace {
struct generator { // splitmix64
  uint64_t x;
  uint64_t next() {
    uint64_t z = (x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int n) {
    return int(next() % uint64_t(n));
  }
  bool flip() {
    return next() & 1;
  }
  // mostly multiples of the tile sizes and their neighbours
  int length() {
    static const int tiles[] = {8, 16, 32, 64, 96, 128, 256};
    int n = tiles[below(7)] * below(9);
    return below(3) ? n : n + below(5);
  }
};

#define SET(object, field, value)                                                                            \
  if constexpr (requires { object.field; })                                                                  \
  object.field = value

// CK's structs and those of mini-aiter differ: each has some of these.
template <typename Traits, typename Args> void fill(generator &r, Traits &t, Args &a) {
  static const int dims[] = {16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 257};
  static const char *const types[] = {"fp16", "bf16", "fp16", "bf16", "fp8bf16", "fp32", "fp8"};
  t.hdim_q = dims[r.below(11)];
  t.hdim_v = r.below(4) ? t.hdim_q : dims[r.below(11)];
  t.data_type = types[r.below(7)];
  t.is_group_mode = r.flip();
  t.mask_type = mask_enum(r.below(4));
  t.bias_type = bias_enum(r.below(3));
  SET(t, is_v_rowmajor, r.below(8) != 0);
  SET(t, has_logits_soft_cap, r.flip());
  SET(t, has_lse, r.flip());
  SET(t, do_fp8_static_quant, r.below(4) == 0);
  SET(t, skip_min_seqlen_q, r.flip());
  SET(t, has_dbias, r.flip());
  SET(t, has_dropout, r.flip());
  SET(t, is_store_randval, r.flip());
  SET(t, is_deterministic, r.flip());
  SET(t, seqlen_q, r.length());
  SET(t, seqlen_k, r.length());
  a.hdim_q = r.below(4) ? t.hdim_q : r.length();
  a.hdim_v = r.below(4) ? t.hdim_v : r.length();
  a.seqlen_q = r.length();
  a.seqlen_k = r.length();
  SET(a, batch, r.below(64));
  SET(a, nhead_q, r.below(64));
  SET(a, max_seqlen_q, r.length() * (1 + r.below(8)));
  SET(a, num_splits, r.below(140));
  SET(a, block_table_ptr, r.flip() ? &a : nullptr);
}

#if defined(FWD)
using traits = fmha_fwd_traits;
using args = fmha_fwd_args;
#define DISPATCH(t, a, s) fmha_fwd(t, a, s)
#elif defined(SPLITKV)
using traits = fmha_fwd_splitkv_traits;
using args = fmha_fwd_splitkv_args;
#define DISPATCH(t, a, s) fmha_fwd_splitkv(t, a, s)
#elif defined(PREFILL)
using traits = fmha_batch_prefill_traits;
using args = fmha_batch_prefill_args;
#define DISPATCH(t, a, s) fmha_batch_prefill(t, a, s)
#elif defined(BWD)
using traits = fmha_bwd_traits;
using args = fmha_bwd_args;
#define DISPATCH(t, a, s) fmha_bwd<2>(t, a, s)
#elif defined(LAUNCHER)
using traits = fmha_bwd_traits;
using args = fmha_bwd_args;
#define DISPATCH(t, a, s) fmha_bwd_launcher(t)(a, s)
#endif
float call(const traits &t, const args &a, const ck_tile::stream_config &s) {
  return DISPATCH(t, a, s);
}

struct problem {
  traits t;
  args a;
};

problem &problem_of(uint64_t seed) {
  static problem p{};
  generator r{seed};
  memset(static_cast<void *>(&p.a), 0, sizeof p.a);
  fill(r, p.t, p.a);
  return p;
}

const ck_tile::stream_config stream{nullptr, false, 0};
} // namespace

// set by a dispatcher that was made to say which row it took; see bench/dispatch.py
extern "C" __attribute__((visibility("default"))) long ckjit_row_taken = -1;

extern "C" {
// Call with the arguments of each seed in [from, from + n). For each, out: a hash of what was called and of
// the result; rows: the row of the table that was taken; called: how many kernels.
__attribute__((visibility("default"))) void choose(uint64_t from, long n, uint64_t *out, int64_t *rows,
                                                   uint64_t *called) {
  for (long i = 0; i < n; i++) {
    problem &p = problem_of(from + uint64_t(i));
    dispatch_calls = 0;
    ckjit_row_taken = -1;
    float r = call(p.t, p.a, stream);
    uint64_t h = 0xcbf29ce484222325u ^ dispatch_calls;
    for (uint64_t k = 0; k < dispatch_calls && k < 64; k++)
      h = (h ^ dispatch_log[k]) * 0x100000001b3u;
    uint32_t bits;
    memcpy(&bits, &r, sizeof bits);
    out[i] = (h ^ bits) * 0x100000001b3u;
    if (rows)
      rows[i] = ckjit_row_taken;
    if (called)
      called[i] = dispatch_calls;
  }
}

// Nanoseconds a call: with the arguments of one seed over and over.
__attribute__((visibility("default"))) double time_one(uint64_t seed, long n) {
  problem &p = problem_of(seed);
  auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < n; i++) {
    call(p.t, p.a, stream);
    __asm__ volatile("" ::: "memory");
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
         double(n);
}

// The same over the arguments of N seeds in turn, which are made before.
__attribute__((visibility("default"))) double time_many(uint64_t from, long n, long rounds) {
  std::unique_ptr<problem[]> all(new problem[size_t(n)]());
  for (long i = 0; i < n; i++)
    all[size_t(i)] = problem_of(from + uint64_t(i));
  auto start = std::chrono::steady_clock::now();
  for (long k = 0; k < rounds; k++)
    for (long i = 0; i < n; i++)
      call(all[size_t(i)].t, all[size_t(i)].a, stream);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
         double(n * rounds);
}
}
