#include "kernel.hpp"
template<> auto ::api::f<1>(...) -> int { return 1; }
template<> int const ::f<2>() { return 1; }
template auto ::g<3>(int) -> long;
//= blob f f g
