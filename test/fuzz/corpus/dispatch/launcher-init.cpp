template <typename A, typename B>
float h(const stream& s, args a)
{
    if constexpr (!std::is_same_v<B, void>)
        return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); },
            [=](const stream& s_){ two_oneshot_<B>(s_, a); });
    else
        return tile::launch_kernel(s, [=](const stream& s_){ one_oneshot_<A>(s_, a); });
}
struct launcher
{
    std::function<float(args, const stream&)> run{};
    launcher(const traits& t);
    template <typename A, typename B, typename Arch> void init(const traits& t)
    {
        note(long(two_ws_size_<A, Arch>(t.batch)));
        run = [](args a, const stream& s) { return h<A, B>(s, a); };
    }
};
inline float dispatch(traits t, args a, const stream& s) { launcher l(t); return l.run ? l.run(a, s) : -1; }
//= dispatcher
#include "gen.hpp"
launcher::launcher(const traits& t) {
    if ((t.hdim_q <= 0) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 0, true>; using b_ = two_traits_<0, fp16, 4, true>; this->init<a_, b_, tile::gfx9>(t); return; }
    else if ((t.hdim_q <= 8) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 1, true>; using b_ = void; this->init<a_, b_, tile::gfx9>(t); return; }
    else if ((t.hdim_q <= 16) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 2, true>; using b_ = two_traits_<2, fp16, 4, true>; this->init<a_, b_, tile::gfx9>(t); return; }
    else if ((t.hdim_q <= 24) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 3, true>; using b_ = void; this->init<a_, b_, tile::gfx9>(t); return; }
    else if ((t.hdim_q <= 32) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 4, true>; using b_ = two_traits_<4, fp16, 4, true>; this->init<a_, b_, tile::gfx9>(t); return; }
    else if ((t.hdim_q <= 40) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 5, true>; using b_ = void; this->init<a_, b_, tile::gfx9>(t); return; }
    else if ((t.hdim_q <= 48) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 6, true>; using b_ = two_traits_<6, fp16, 4, true>; this->init<a_, b_, tile::gfx9>(t); return; }
    else if ((t.hdim_q <= 56) && (t.has_lse == true)) { using a_ = one_traits_<32, fp16, 7, true>; using b_ = void; this->init<a_, b_, tile::gfx9>(t); return; }
}
