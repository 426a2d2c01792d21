#!/bin/sh
# The launcher's dispatcher of examples/fmha-bwd, rewritten by ckjit, chooses what the stock one chooses: all 72 branches, for random
# traits and each form of the workspace, with blobs that only tell their names. Another condition is noticed.
# tier: all
# seconds: 17
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy
cd "$T"
# Every function of every blob: the type itself is the name.
cat >blobs.hpp <<'END'
#include "fmha_bwd.hpp"
template <typename T> std::string whole() { return __PRETTY_FUNCTION__; }
inline std::string asked;
template <typename T, typename A> void fmha_bwd_dot_do_o_oneshot_(const ck_tile::stream_config&, fmha_bwd_args) { asked += "0" + whole<std::tuple<T, A>>(); }
template <typename T, typename A> void fmha_bwd_dq_dk_dv_oneshot_(const ck_tile::stream_config&, fmha_bwd_args) { asked += "1" + whole<std::tuple<T, A>>(); }
template <typename T, typename A> void fmha_bwd_convert_dq_oneshot_(const ck_tile::stream_config&, fmha_bwd_args) { asked += "2" + whole<std::tuple<T, A>>(); }
template <typename T, typename A> std::string fmha_bwd_dot_do_o_get_name_() { return "0" + whole<std::tuple<T, A>>(); }
template <typename T, typename A> std::string fmha_bwd_dq_dk_dv_get_name_() { return "1" + whole<std::tuple<T, A>>(); }
template <typename T, typename A> std::string fmha_bwd_convert_dq_get_name_() { return "2" + whole<std::tuple<T, A>>(); }
template <typename T, typename A> size_t fmha_bwd_dq_dk_dv_ws_host_size_(int) { asked += "h" + whole<std::tuple<T, A>>(); return 16; }
template <typename T, typename A> size_t fmha_bwd_dq_dk_dv_prepare_ws_host_(void*, int, int, int, int, int, int, const int*, const int*) { asked += "p" + whole<std::tuple<T, A>>(); return 32; }
template <typename T, typename A> size_t fmha_bwd_dq_dk_dv_ws_device_upper_bound_(int, int, int, int, int) { asked += "u" + whole<std::tuple<T, A>>(); return 32; }
template <typename T, typename A> bool fmha_bwd_dq_dk_dv_needs_zero_dq_acc_() { asked += "z" + whole<std::tuple<T, A>>(); return true; }
template <typename T, typename A> void fmha_bwd_dq_dk_dv_prepare_ws_async_(void*, int, int, int, int, int, int, const int*, const int*, const ck_tile::stream_config&) { asked += "a" + whole<std::tuple<T, A>>(); }
template <typename T, typename A> void fmha_bwd_dq_dk_dv_prepare_ws_device_(void*, const void*, size_t, size_t) { asked += "d" + whole<std::tuple<T, A>>(); }
END
cat >driver.cpp <<'END'
#include "blobs.hpp"
#include DISPATCHER
#include <cstdio>
#include <random>
#include <set>
int main(int, char** argv) {
  std::mt19937 random(std::atoi(argv[2]));
  auto one_of = [&](auto x, auto... more) { decltype(x) all[] = {x, more...}; return all[random() % (sizeof...(more) + 1)]; };
  std::set<std::string> seen;
  uint64_t hash = 0xcbf29ce484222325u;
  alignas(16) char ws[64];
  std::cerr.setstate(std::ios::failbit);
  const int starts[] = {0, 1};
  for (int i = 0; i < std::atoi(argv[1]); i++) {
    fmha_bwd_traits t{};
    setenv("FMHA_BWD_ARCH", one_of("gfx90a", "gfx942:sramecc+", "gfx1100", "gfx1101", "gfx1030"), 1);
    t.max_seqlen_q = one_of(0, 15, 16, 17, 90), t.max_seqlen_k = one_of(0, 63, 64, 65, 900), t.batch = 1;
    t.hdim_q = one_of(8, 31, 32, 33, 64, 65), t.hdim_v = one_of(8, 32, 33, 64, 65);
    t.nhead_q = t.nhead_k = 1, t.data_type = one_of("fp32", "bf16", "bf16", "fp16", "");
    t.is_group_mode = random() % 2, t.is_deterministic = random() % 2;
    t.mask_type = static_cast<mask_enum>(random() % 4);
    t.bias_type = one_of(bias_enum::no_bias, bias_enum::no_bias, bias_enum::no_bias, bias_enum::alibi);
    t.has_dbias = random() % 8 == 0, t.has_dropout = random() % 8 == 0, t.is_store_randval = random() % 8 == 0;
    t.seqstart_qs = t.seqstart_ks = starts;
    t.workspace = static_cast<workspace_enum>(random() % 3);
    asked.clear();
    fmha_bwd_launcher l(t);
    l.prepare_workspace_async(ws, starts, starts, {}, [](size_t size) { return std::shared_ptr<void>(std::malloc(size), std::free); });
    asked += l.kernels + std::to_string(l.workspace_size) + std::to_string(l(fmha_bwd_args{}, ck_tile::stream_config{}));
    seen.insert(asked);
    for (char c : asked) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  std::printf("%zu outcomes, %016llx\n", seen.size(), static_cast<unsigned long long>(hash));
}
END
stock=$lazy/build/blob/fmha_bwd_api.cpp
units=$lazy/work/libfmha_bwd/units
choose() {
  dispatcher_=$1
  shift
  hipcc -x hip --offload-host-only --offload-arch=gfx90a -std=c++17 -O0 -w -I"$example/include" "-DDISPATCHER=\"$dispatcher_\"" "$@" driver.cpp -o driver
  ./driver 180000 "$SEED"
}
seed
choose "$stock" >stock.out
grep -q '^217 outcomes' stock.out || fail "not each of 72 branches in three forms, and none: $(cat stock.out)"
choose "$units/fmha_bwd_api.cpp" -ivfsoverlay "$units/fmha_bwd_api.overlay" >ckjit.out
cmp -s stock.out ckjit.out || fail "stock: $(cat stock.out); ckjit: $(cat ckjit.out)"
sed -e 's/t.max_seqlen_k <= 64/t.max_seqlen_k <= 63/' "$stock" >wrong.cpp
choose "$T/wrong.cpp" >wrong.out
cmp -s stock.out wrong.out && fail 'another condition was not noticed'
exit 0
