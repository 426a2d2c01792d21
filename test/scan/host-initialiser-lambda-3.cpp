#include "kernel.hpp"
static bool registered = [] { registry.push_back("f"); return true; }();
template<> void f<int>() {}
//= host
