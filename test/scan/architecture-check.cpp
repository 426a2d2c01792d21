#include "kernel.hpp"
#if !defined(__HIP_DEVICE_COMPILE__) || defined(__gfx950__) || \
    (defined(__gfx942__) && 1)
using trait_0 = traits<1>;
template<> float bwd_<trait_0, ck_tile::gfx9_t>(const stream& s, args a) { return 0; }
#endif
//= blob bwd_
