#include "kernel.hpp"
template<> int f<1'000'000, 0x1'F>() { return 0b1'0 + 1e+5 + 0x1p-3 + .5f; }
//= blob f
