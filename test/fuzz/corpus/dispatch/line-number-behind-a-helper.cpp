
float dispatch(traits t, args a, const stream& s);
//= dispatcher
#include "gen.hpp"
template <typename A, typename B>
float h(const stream& s, args a)
{
    if(s.log_level_ > 0)
        note((one_get_name_<A>() + two_get_name_<B>()).c_str());
    return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); },
            [=](const stream& s_){ two_oneshot_<B>(s_, a); });
}
float dispatch(traits t, args a, const stream& s) {
    float r = -1;
    if ((t.hdim_q <= 0) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 0, true>; using b_ = two_traits_<8, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 8) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 1, true>; using b_ = two_traits_<9, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 16) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 2, true>; using b_ = two_traits_<10, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 24) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 3, true>; using b_ = two_traits_<11, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 32) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 4, true>; using b_ = two_traits_<12, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 40) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 5, true>; using b_ = two_traits_<13, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 48) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 6, true>; using b_ = two_traits_<14, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 56) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 7, true>; using b_ = two_traits_<15, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    note(__LINE__);
    return r;
}
