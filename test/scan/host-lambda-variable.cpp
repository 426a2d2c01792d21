#include "kernel.hpp"
template<> void f<int>() {}
auto g = [](int x) { return x; };
//= host
