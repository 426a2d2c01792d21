#include "kernel.hpp"
template<> void f<1>(int x) __arm_streaming {}
template<> void f<2>(int x) __arm_streaming __arm_inout("za") {}
template<> void f<3>(int x) __arm_inout("za", "zt0") __arm_streaming_compatible noexcept {}
template<> __arm_locally_streaming __arm_new("za") void f<4>(int x) __arm_streaming_compatible {}
//= blob f f f f
