// aiter-calls.cpp - a call into each of aiter's two libraries on a machine without a GPU: at log level 1 the dispatcher
// asks the kernels for their names before it launches them, and the launch then fails for want of a device.
// Compiled twice, because CK's two headers define the same structs: with -DBWD for one library, without for the other.
#ifdef BWD
#include "mha_bwd.h"
#else
#include "mha_fwd.h"
#endif

#include <cstring>
#include <exception>
#include <iostream>

template <class F> static void call(const char *what, F f) {
  std::cout << what << std::flush;
  try {
    f();
  } catch (const std::exception &e) {
    std::cout << "\n" << what << " ended with: " << e.what();
  }
  std::cout << std::endl;
}

int main() {
  const ck_tile::stream_config stream{nullptr, false, 1};
#ifdef BWD
  call("bwd", [&] {
    fmha_bwd_args a;
    std::memset(static_cast<void *>(&a), 0, sizeof a);
    a.seqlen_q = a.seqlen_k = a.max_seqlen_q = a.max_seqlen_k = 128;
    a.batch = a.nhead_q = a.nhead_k = 1;
    a.hdim_q = a.hdim_v = 32;
    aiter::mha_bwd(a, stream, "fp16", false, mask_enum::no_mask, bias_enum::no_bias, false, false, false, false, false, 0);
  });
#else
  call("splitkv", [&] {
    fmha_fwd_splitkv_args a;
    std::memset(static_cast<void *>(&a), 0, sizeof a);
    a.seqlen_q = a.seqlen_k = a.max_seqlen_q = 128;
    a.batch = a.nhead_q = a.nhead_k = 1;
    a.hdim_q = a.hdim_v = 32;
    a.num_splits = 2;
    aiter::mha_fwd_splitkv(a, stream, "fp16", false, mask_enum::no_mask, bias_enum::no_bias, true);
  });
#endif
}
