
float dispatch(traits t, args a, const stream& s);
//= dispatcher
#include "gen.hpp"
float dispatch(traits t, args a, const stream& s) {
    float r = -1;
    if ((t.hdim_q <= 0) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<32, fp16, false, 0, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, false>; return fwd_<trait_>(s, a) + 0; }
    else if ((t.hdim_q <= 8) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<64, fp16, false, 1, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, true>; return fwd_<trait_>(s, a) + 1; }
    else if ((t.hdim_q <= 16) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<96, fp16, false, 2, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, false>; return fwd_<trait_>(s, a) + 2; }
    else if ((t.hdim_q <= 24) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<128, fp16, false, 3, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, true>; return fwd_<trait_>(s, a) + 3; }
    else if ((t.hdim_q <= 32) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<160, fp16, false, 4, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, false>; return fwd_<trait_>(s, a) + 4; }
    else if ((t.hdim_q <= 40) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<192, fp16, false, 5, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, true>; return fwd_<trait_>(s, a) + 5; }
    else if ((t.hdim_q <= 48) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<224, fp16, false, 6, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, false>; return fwd_<trait_>(s, a) + 6; }
    else if ((t.hdim_q <= 56) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using trait_ = fwd_traits_<256, fp16, false, 7, tile::pipe::QRKSVS, tile::mask<false>, bias_enum::no_bias, true, true>; return fwd_<trait_>(s, a) + 7; }
    return r;
}
