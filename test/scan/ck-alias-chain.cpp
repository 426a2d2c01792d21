#include "kernel.hpp"
using fmha_dtype_0 = FmhaFwdFp16;
using fmha_block_tile_0 = ck_tile::sequence<128, 64, 32, 128, 32, 128>;
using fmha_shape_0 = ck_tile::TileFmhaShape<fmha_block_tile_0, ck_tile::sequence<4, 1, 1>>;
using trait_0 = traits_<128, fmha_dtype_0, false, fmha_shape_0>;

#include <iostream>

template<>
float fmha_fwd_<trait_0>(const ck_tile::stream_config& s, fmha_fwd_args a)
{
    using k_ = fmha_kernel_0;
    if(s.log_level_ > 0)
        std::cout << ", " << k_::GetName() << std::flush;
    auto [kargs, grids] = fmha_fwd_create_kargs_and_grids<k_>(a);
    return ck_tile::launch_kernel(s, ck_tile::make_kernel<blocks.x, kBlockPerCu>(k_{}, grids, blocks, 0, kargs));
}
//= blob fmha_fwd_
