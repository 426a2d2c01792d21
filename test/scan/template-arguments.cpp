#include "kernel.hpp"
template<> void f<(1 << 3), (A > B), sizeof(int[(2 > 1)]), a<b<c>>, decltype(x->y), [] { return 1 > 0; }>(int) {}
//= blob f
