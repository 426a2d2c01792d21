#include "kernel.hpp"
static bool registered = [] { enrol("f"); return true; }();
template<> void f<int>() {}
//= host
