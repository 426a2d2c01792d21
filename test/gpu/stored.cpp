// stored MODE [callback] - the first call of a blob of examples/fmha-bwd is a launch in a capture, through an
// address that was stored before; with callback it is a call in a callback of the graph. Prints how many nodes the graph has, what the call throws, and the
// head of a workspace after each of three launches of the graph. With -DHIPRT the kernel runs on the
// host, where test/unit/runtime_hip.c is HIP.
#include "fmha_bwd.hpp"

#include <cstdio>

#if defined(__CUDACC__) && !defined(__HIP__)
using arch = ck_tile::sm_t;
#else
using arch = ck_tile::gfx9_t;
#endif
using traits = fmha_bwd_dq_dk_dv_traits_<32, FmhaBwdFp32, true, ck_tile::SimplifiedGenericAttentionMask<false>, true, 0, 16>;

#ifdef HIPRT
extern "C" void hiprt_kernel(const char *, void (*)(void **, const dim3 *, const dim3 *));

using shape = ck_tile::TileFmhaBwdShape<16, 16, 0>;
using problem =
    ck_tile::BlockFmhaBwdPipelineProblem<float, 32, true, shape, ck_tile::SimplifiedGenericAttentionMask<false>, true>;
using kernel = ck_tile::FmhaBwdPrepareWorkspaceKernel<
    ck_tile::FmhaBwdDQDKDVKernel<ck_tile::BlockFmhaBwdDQDKDVPipelineKRKTRVR<problem>, arch>>;
static void on_host(void **args, const dim3 *, const dim3 *) {
  kernel{}(*static_cast<kernel::Kargs *>(args[0]), 0, 0, 0);
}
#endif

// What the callback calls. The head of the workspace comes behind it.
struct packing {
  size_t (*stored)(void *, int, int, int, int, int, int, const int *, const int *);
  const int *starts_q, *starts_k;
  char head[48];

  static void run(void *given) {
    packing &p = *static_cast<packing *>(given);
    try {
      p.stored(p.head, 3, 32, 2, 80, 87, 1, p.starts_q, p.starts_k);
    } catch (const std::exception &e) {
      std::printf("thrown in the callback: %s\n", e.what());
    }
  }
};

int main(int argc, char **argv) {
#ifdef HIPRT
  hiprt_kernel("_ZN7ck_tile6kentryINS_29FmhaBwdPrepareWorkspaceKernel", on_host);
#endif
  using ck_tile::capture_mode;
  const std::string word = argv[1];
  const capture_mode mode = word == "global"   ? capture_mode::global
                            : word == "thread" ? capture_mode::thread_local_
                                               : capture_mode::relaxed;
  const ck_tile::pinned_vector<int> starts_q{0, 40, 47, 80}, starts_k{0, 70, 86, 87};
  const size_t size = 64;
  ck_tile::DeviceMem ws(size);
  ck_tile::stream stream;
  auto *volatile stored = &fmha_bwd_dq_dk_dv_prepare_ws_async_<traits, arch>;
  ck_tile::pinned_vector<packing> packings{
      {fmha_bwd_dq_dk_dv_prepare_ws_host_<traits, arch>, starts_q.data(), starts_k.data(), {}}};

  stream.begin_capture(mode);
  ck_tile::memset_async(ws.GetDeviceBuffer(), 0xff, size, stream.get());
  try {
    if (argc > 2) {
      ck_tile::host_function_async(&packing::run, packings.data(), stream.get());
      ck_tile::memcpy_async(ws.GetDeviceBuffer(), packings[0].head, sizeof packings[0].head, stream.get());
    } else {
      stored(ws.GetDeviceBuffer(), 3, 32, 2, 80, 87, 1, starts_q.data(), starts_k.data(), {stream.get()});
    }
  } catch (const std::exception &e) {
    const std::string what = e.what();
    std::printf("thrown: %s\n", what.substr(0, what.find('\n')).c_str());
  }
  std::printf("nodes %zu\n", stream.end_capture());
  for (int turn = 0; turn < 3; turn++) {
    unsigned char bytes[size];
    ck_tile::device_memset(ws.GetDeviceBuffer(), 0xee, size);
    stream.launch_graph();
    stream.synchronize();
    ck_tile::device_memcpy(bytes, ws.GetDeviceBuffer(), size);
    for (size_t i = 0; i < size; i++) std::printf("%02x%s", bytes[i], i % 16 == 15 ? "\n" : " ");
  }
}
