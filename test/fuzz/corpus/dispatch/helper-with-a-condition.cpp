template <typename A, typename B>
float h(const stream& s, args a)
{
    if constexpr (!std::is_same_v<B, void>) {
        return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); },
            [=](const stream& s_){ two_oneshot_<B>(s_, a); });
    } else {
        return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); });
    }
}
float pick(traits t, args a, const stream& s) {
  float r = -1;
    if ((t.hdim_q <= 0) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 0, true>; using b_ = two_traits_<8, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 8) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 1, true>; using b_ = two_traits_<9, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 16) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 2, true>; using b_ = two_traits_<10, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 24) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 3, true>; using b_ = two_traits_<11, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 32) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 4, true>; using b_ = two_traits_<12, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
    else if ((t.hdim_q <= 40) && (t.has_lse == true) && (a.seqlen_q % 8 == 0)) { using a_ = one_traits_<32, fp16, 5, true>; using b_ = two_traits_<13, bf16, 4, false>; r = h<a_, b_>(s, a); return r; }
  return r;
}
