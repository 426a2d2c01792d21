#include "kernel.hpp"
static const auto squares = [] { std::array<int, 4> t{}; t[1] = 1; return t; }();
template<> void f<int>() {}
//= host
