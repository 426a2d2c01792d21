#include "kernel.hpp"
static bool registered = [] { std::cout << "loaded"; return true; }();
template<> void f<int>() {}
//= host
