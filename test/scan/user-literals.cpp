#include "kernel.hpp"
template<> int f<int>() { return 12_km + "x"_s.size() + 'c'_q; }
//= blob f
