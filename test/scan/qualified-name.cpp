#include "kernel.hpp"
template<> void a::b::f<int>() {}
template<> void ::g<a::t>() {}
//= blob f g
