#include "kernel.hpp"
template<> void f<int>(args a) { auto g = [=](auto x) mutable -> int { return x < a.n; }; g(1); }
//= blob f
