#!/bin/sh
# What a caller of examples/fmha-bwd does wrong is refused by an exception that names it: traits of group mode without lengths or with
# falling ones, a workspace that is missing or not aligned, lengths beyond what was said, heads that do not divide.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy
warm
cat >"$T/caller.cpp" <<'END'
#include "fmha_bwd.hpp"
#include <vector>
template <typename F> void refused(const char* why, F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    if (e.what() == std::string(why)) return;
    std::cout << "expected: " << why << "\ngot:      " << e.what() << std::endl;
    std::exit(1);
  }
  std::cout << "not refused: " << why << std::endl;
  std::exit(1);
}
static_assert(!std::is_copy_constructible_v<fmha_bwd_launcher> && !std::is_move_constructible_v<fmha_bwd_launcher>);
static_assert(!std::is_copy_assignable_v<fmha_bwd_launcher> && !std::is_move_assignable_v<fmha_bwd_launcher>);
static_assert(std::is_same_v<decltype(fmha_bwd_launcher::workspace_size), size_t>);
int main() {
  const int starts[] = {0, 20, 60}, falling[] = {0, 20, 10};
  fmha_bwd_traits t{};
  t.batch = 2, t.seqlen_q = t.seqlen_k = 60, t.max_seqlen_q = t.max_seqlen_k = 40, t.hdim_q = t.hdim_v = 8;
  t.nhead_q = t.nhead_k = 1, t.data_type = "fp32", t.is_group_mode = t.is_deterministic = true;
  const auto with = [&](auto member, auto value) { auto u = t; u.seqstart_qs = u.seqstart_ks = starts; u.*member = value; return u; };
  using traits = fmha_bwd_traits;
  refused("fmha_bwd_traits: seqstart_qs must be set in group mode", [&] { fmha_bwd_launcher l(t); });
  refused("fmha_bwd_traits: seqstart_ks must be set in group mode", [&] { fmha_bwd_launcher l(with(&traits::seqstart_ks, nullptr)); });
  refused("fmha_bwd_traits: seqstart_ks[2] is 10, less than what stands before it", [&] { fmha_bwd_launcher l(with(&traits::seqstart_ks, falling)); });
  refused("fmha_bwd_traits: batch is -1", [&] { fmha_bwd_launcher l(with(&traits::batch, -1)); });
  refused("fmha_bwd_traits: nhead_q is -3", [&] { fmha_bwd_launcher l(with(&traits::nhead_q, -3)); });

  // As the document has it: one piece of memory, one pointer. The lengths may be gone once the launcher is made.
  auto own = std::make_unique<std::vector<int>>(starts, starts + 3);
  auto u = t;
  u.seqstart_qs = u.seqstart_ks = own->data();
  fmha_bwd_launcher launcher(u);
  own.reset();
  const auto ws_size = launcher.workspace_size;
  if (ws_size != 16 + 32 + 4 * 8 * (2 * 20 + 3 * 40)) return std::cout << ws_size << std::endl, 1;
  ck_tile::DeviceMem ws_buf(ws_size);
  launcher.prepare_workspace(ws_buf.GetDeviceBuffer());
  refused("prepare_workspace: expected 16-byte aligned memory of 5168 bytes", [&] { launcher.prepare_workspace(nullptr); });
  refused("prepare_workspace: expected 16-byte aligned memory of 5168 bytes",
          [&] { launcher.prepare_workspace(static_cast<char*>(ws_buf.GetDeviceBuffer()) + 8); });

  std::vector<float> x(60 * 8, 0.5f), d(60), dq(x), dk(x), dv(x);
  fmha_bwd_args a{};
  a.q_ptr = a.k_ptr = a.v_ptr = a.o_ptr = a.do_ptr = x.data(), a.lse_ptr = d.data(), a.d_ptr = d.data();
  a.dq_ptr = dq.data(), a.dk_ptr = dk.data(), a.dv_ptr = dv.data(), a.batch = 2, a.max_seqlen_q = a.max_seqlen_k = 40;
  a.hdim_q = a.hdim_v = 8, a.nhead_q = a.nhead_k = 1, a.scale = 1, a.seqstart_q_ptr = a.seqstart_k_ptr = starts;
  a.stride_q = a.stride_k = a.stride_v = a.stride_o = a.stride_do = a.stride_dq = a.stride_dk = a.stride_dv = 8;
  a.nhead_stride_lsed = 60, a.workspace_ptr = ws_size > 0 ? ws_buf.GetDeviceBuffer() : nullptr;
  const int longer[] = {20, 41};
  const auto run = [&](auto member, auto value) { auto b = a; b.*member = value; return launcher(b, ck_tile::stream_config{}); };
  using args = fmha_bwd_args;
  if (run(&args::scale, 1.f) != 0) return 1;
  refused("fmha_bwd: workspace_ptr is null, and this kernel needs a workspace", [&] { run(&args::workspace_ptr, nullptr); });
  refused("fmha_bwd: seqstart_q_ptr and seqstart_k_ptr must be set in group mode", [&] { run(&args::seqstart_q_ptr, nullptr); });
  refused("fmha_bwd: sequence 1 has 40 queries, more than 39", [&] { run(&args::max_seqlen_q, 39); });
  refused("fmha_bwd: sequence 1 has 40 keys, more than max_seqlen_k 30", [&] { run(&args::max_seqlen_k, 30); });
  refused("fmha_bwd: sequence 1 has a logical length that is not within its physical length", [&] { run(&args::seqlen_k_ptr, longer); });
  refused("fmha_bwd: nhead_q 1 is no multiple of nhead_k 2", [&] { run(&args::nhead_k, 2); });
  std::cout << "all refused" << std::endl;
}
END
hipcc -x hip --offload-host-only --offload-arch=gfx90a -std=c++17 -Wall -Wextra -I"$example/include" -c "$T/caller.cpp" -o "$T/caller.o"
hipcc --offload-arch=gfx90a "$T/caller.o" -L"$lazy/build" -lfmha_bwd -Wl,-rpath,"$lazy/build" -o "$T/caller"
ends 0 "$T/caller"
says 'all refused'

# The command line, and a number of compute units that is none.
ends 2 "$bwd" -hdim=32
grep -q "unknown option '-hdim=32'" "$T/err" || fail "$(cat "$T/err")"
ends 2 "$bwd" -b=x
ends 2 "$bwd" -s=40,50
ends 2 "$bwd" -h=3 -h_k=2
ends 2 "$bwd" -mask=t:1,
ends 2 "$bwd" -mode=group -b=3 -s=1,2
ends 1 env FMHA_BWD_NUM_CUS=many "$bwd" -deterministic=1
says "fmha-bwd: FMHA_BWD_NUM_CUS is 'many', expected a number from 1 to 4096" "$T/err"
