#include "kernel.hpp"
static const std::vector<int> v(1, std::accumulate(a, b, 0, [](int x, int y) { return enrol(x); }));
template<> void f<int>() {}
//= unsure
