#include "kernel.hpp"
namespace {
template <bool kHasUnevenSplits>
struct instance {
  using k_ = kernel<kHasUnevenSplits>;
  static void run(const stream& s, args a) { k_{}(s, a); }
};
}
using trait_0 = traits<64>;
namespace {
template <bool B> void run_instance(const stream& s, args a) { instance<B>::run(s, a); }
} // anonymous namespace
template<> void splitkv_oneshot_<trait_0>(const stream& s, args a) {
  if (a.n % 2 == 0) { run_instance</*uneven=*/false>(s, a); } else { run_instance</*uneven=*/true>(s, a); }
}
template<> std::string splitkv_get_name_<trait_0>() { return instance<true>::k_::GetName(); }
//= blob splitkv_oneshot_ splitkv_get_name_
