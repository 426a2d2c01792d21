#include "kernel.hpp"
constexpr int A = 3;
static const unsigned B = A << 2;
const bool C = A < 4;
inline constexpr auto D = ns::make(4);
static constexpr int E[] = {1, 2};
const int G{5};
template<> void f<A, B, C, D, E[1], G>() {}
//= blob f
